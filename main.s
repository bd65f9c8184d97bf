	.abicalls
	.option	pic0
	.section	.mdebug.abi32,"",@progbits
	.nan	legacy
	.module	softfloat
	.text
	.file	"main.c"
	.file	1 "/work/trees/house" ".venv/lib/python3.11/site-packages/ziglang/lib/include/stdint.h"
	.file	2 "/work/trees/house" "firmware/tengig/main.c"
	.file	3 "/work/trees/house" "firmware/include/spinach/layouts.h"
	.globl	core_main                       # -- Begin function core_main
	.p2align	2
	.type	core_main,@function
	.set	nomicromips
	.set	nomips16
	.ent	core_main
core_main:                              # @core_main
$tmp0:
$func_begin0 = $tmp0
	.loc	2 168 0                         # firmware/tengig/main.c:168:0
	.cfi_startproc
	.frame	$fp,48,$ra
	.mask 	0xc0000000,-4
	.fmask	0x00000000,0
	.set	noreorder
	.set	nomacro
	.set	noat
# %bb.0:
	addiu	$sp, $sp, -48
	.cfi_def_cfa_offset 48
	sw	$ra, 44($sp)                    # 4-byte Folded Spill
	sw	$fp, 40($sp)                    # 4-byte Folded Spill
	.cfi_offset 31, -4
	.cfi_offset 30, -8
	move	$fp, $sp
	.cfi_def_cfa_register 30
	sw	$4, 36($fp)
$tmp1:
	.loc	2 169 9 prologue_end            # firmware/tengig/main.c:169:9
	lw	$1, 36($fp)
	.loc	2 169 14 is_stmt 0              # firmware/tengig/main.c:169:14
	bnez	$1, $BB0_3
	nop
# %bb.1:
	j	$BB0_2
	nop
$BB0_2:
	.loc	2 170 9 is_stmt 1               # firmware/tengig/main.c:170:9
	jal	initialise
	nop
	j	$BB0_3
	nop
$tmp2:
$BB0_3:
	.loc	2 171 5                         # firmware/tengig/main.c:171:5
	j	$BB0_4
	nop
$BB0_4:                                 # =>This Inner Loop Header: Depth=1
	.loc	2 171 13 is_stmt 0              # firmware/tengig/main.c:171:13
	lui	$1, %hi(is_initialised)
	lw	$1, %lo(is_initialised)($1)
	.loc	2 171 5                         # firmware/tengig/main.c:171:5
	bnez	$1, $BB0_7
	nop
# %bb.5:                                #   in Loop: Header=BB0_4 Depth=1
	j	$BB0_6
	nop
$BB0_6:                                 #   in Loop: Header=BB0_4 Depth=1
	.loc	2 172 9 is_stmt 1               # firmware/tengig/main.c:172:9
	jal	spin_pause
	nop
	.loc	2 171 5                         # firmware/tengig/main.c:171:5
	j	$BB0_4
	nop
$BB0_7:
	.loc	2 0 5 is_stmt 0                 # firmware/tengig/main.c:0:5
	addiu	$1, $zero, 1
	.loc	2 181 10 is_stmt 1              # firmware/tengig/main.c:181:10
	sb	$1, 35($fp)
	.loc	2 183 5                         # firmware/tengig/main.c:183:5
	j	$BB0_8
	nop
$BB0_8:                                 # =>This Inner Loop Header: Depth=1
$tmp3:
	.loc	2 184 34                        # firmware/tengig/main.c:184:34
	lbu	$1, 35($fp)
	sw	$1, 28($fp)                     # 4-byte Folded Spill
	sltiu	$1, $1, 2
	bnez	$1, $BB0_11
	nop
# %bb.9:                                #   in Loop: Header=BB0_8 Depth=1
	j	$BB0_10
	nop
$BB0_10:                                #   in Loop: Header=BB0_8 Depth=1
	lw	$1, 28($fp)                     # 4-byte Folded Reload
	andi	$5, $1, 255
	lui	$1, %hi($__unnamed_1)
	addiu	$4, $1, %lo($__unnamed_1)
	jal	__ubsan_handle_load_invalid_value
	nop
	j	$BB0_11
	nop
$BB0_11:                                #   in Loop: Header=BB0_8 Depth=1
	.loc	2 184 24 is_stmt 0              # firmware/tengig/main.c:184:24
	lw	$1, 28($fp)                     # 4-byte Folded Reload
	andi	$4, $1, 1
	jal	send_pass
	nop
	.loc	2 184 14                        # firmware/tengig/main.c:184:14
	sb	$2, 34($fp)
	.loc	2 185 20 is_stmt 1              # firmware/tengig/main.c:185:20
	jal	receive_pass
	nop
	sw	$2, 20($fp)                     # 4-byte Folded Spill
	.loc	2 185 17 is_stmt 0              # firmware/tengig/main.c:185:17
	lbu	$1, 34($fp)
	sw	$1, 24($fp)                     # 4-byte Folded Spill
	sltiu	$1, $1, 2
	bnez	$1, $BB0_14
	nop
# %bb.12:                               #   in Loop: Header=BB0_8 Depth=1
	j	$BB0_13
	nop
$BB0_13:                                #   in Loop: Header=BB0_8 Depth=1
	lw	$1, 24($fp)                     # 4-byte Folded Reload
	andi	$5, $1, 255
	lui	$1, %hi($__unnamed_2)
	addiu	$4, $1, %lo($__unnamed_2)
	jal	__ubsan_handle_load_invalid_value
	nop
	j	$BB0_14
	nop
$BB0_14:                                #   in Loop: Header=BB0_8 Depth=1
	lw	$2, 20($fp)                     # 4-byte Folded Reload
	lw	$1, 24($fp)                     # 4-byte Folded Reload
	andi	$1, $1, 1
	or	$1, $1, $2
	sltu	$1, $zero, $1
	sb	$1, 34($fp)
$tmp4:
	.loc	2 186 14 is_stmt 1              # firmware/tengig/main.c:186:14
	lbu	$1, 34($fp)
	sw	$1, 16($fp)                     # 4-byte Folded Spill
	sltiu	$1, $1, 2
	bnez	$1, $BB0_17
	nop
# %bb.15:                               #   in Loop: Header=BB0_8 Depth=1
	j	$BB0_16
	nop
$BB0_16:                                #   in Loop: Header=BB0_8 Depth=1
	lw	$1, 16($fp)                     # 4-byte Folded Reload
	andi	$5, $1, 255
	lui	$1, %hi($__unnamed_3)
	addiu	$4, $1, %lo($__unnamed_3)
	jal	__ubsan_handle_load_invalid_value
	nop
	j	$BB0_17
	nop
$BB0_17:                                #   in Loop: Header=BB0_8 Depth=1
	lw	$1, 16($fp)                     # 4-byte Folded Reload
	andi	$1, $1, 1
	.loc	2 186 13 is_stmt 0              # firmware/tengig/main.c:186:13
	bnez	$1, $BB0_20
	nop
# %bb.18:                               #   in Loop: Header=BB0_8 Depth=1
	j	$BB0_19
	nop
$BB0_19:                                #   in Loop: Header=BB0_8 Depth=1
	.loc	2 187 13 is_stmt 1              # firmware/tengig/main.c:187:13
	jal	wait_for_work
	nop
	j	$BB0_20
	nop
$tmp5:
$BB0_20:                                #   in Loop: Header=BB0_8 Depth=1
	.loc	2 183 5                         # firmware/tengig/main.c:183:5
	j	$BB0_8
	nop
$tmp6:
	.set	at
	.set	macro
	.set	reorder
	.end	core_main
$func_end0:
	.size	core_main, $func_end0-core_main
	.cfi_endproc
                                        # -- End function
	.p2align	2                               # -- Begin function initialise
	.type	initialise,@function
	.set	nomicromips
	.set	nomips16
	.ent	initialise
initialise:                             # @initialise
$tmp7:
$func_begin1 = $tmp7
	.loc	2 151 0                         # firmware/tengig/main.c:151:0
	.cfi_startproc
	.frame	$fp,248,$ra
	.mask 	0xc0000000,-4
	.fmask	0x00000000,0
	.set	noreorder
	.set	nomacro
	.set	noat
# %bb.0:
	addiu	$sp, $sp, -248
	.cfi_def_cfa_offset 248
	sw	$ra, 244($sp)                   # 4-byte Folded Spill
	sw	$fp, 240($sp)                   # 4-byte Folded Spill
	.cfi_offset 31, -4
	.cfi_offset 30, -8
	move	$fp, $sp
	.cfi_def_cfa_register 30
	addiu	$2, $zero, 64
$tmp8:
	.file	4 "/work/trees/house" "firmware/include/tengig/state.h"
	.loc	4 145 5 prologue_end            # firmware/include/tengig/state.h:145:5 @[ firmware/tengig/main.c:152:36 ]
	#APP
	#NO_APP
	sw	$2, 200($fp)                    # 4-byte Folded Spill
	lw	$1, 200($fp)                    # 4-byte Folded Reload
	sw	$1, 236($fp)
	.loc	4 146 12                        # firmware/include/tengig/state.h:146:12 @[ firmware/tengig/main.c:152:36 ]
	lw	$1, 236($fp)
	sw	$1, 204($fp)                    # 4-byte Folded Spill
	move	$2, $1
	sw	$2, 208($fp)                    # 4-byte Folded Spill
$tmp9:
	.loc	2 152 41                        # firmware/tengig/main.c:152:41
	andi	$2, $1, 3
	sw	$2, 212($fp)                    # 4-byte Folded Spill
	beqz	$1, $BB1_4
	nop
# %bb.1:
	j	$BB1_2
	nop
$BB1_2:
	lw	$1, 212($fp)                    # 4-byte Folded Reload
	beqz	$1, $BB1_5
	nop
# %bb.3:
	j	$BB1_4
	nop
$BB1_4:
	lw	$5, 204($fp)                    # 4-byte Folded Reload
	lui	$1, %hi($__unnamed_4)
	addiu	$4, $1, %lo($__unnamed_4)
	jal	__ubsan_handle_type_mismatch_v1
	nop
	j	$BB1_5
	nop
$BB1_5:
	.loc	2 152 23 is_stmt 0              # firmware/tengig/main.c:152:23
	lw	$1, 208($fp)                    # 4-byte Folded Reload
	sw	$1, 216($fp)
	.loc	2 153 5 is_stmt 1               # firmware/tengig/main.c:153:5
	j	$BB1_6
	nop
$BB1_6:                                 # =>This Inner Loop Header: Depth=1
	.loc	2 0 5 is_stmt 0                 # firmware/tengig/main.c:0:5
	addiu	$2, $zero, 64
$tmp10:
	.loc	4 145 5 is_stmt 1               # firmware/include/tengig/state.h:145:5 @[ firmware/tengig/main.c:153:12 ]
	#APP
	#NO_APP
	sw	$2, 184($fp)                    # 4-byte Folded Spill
	lw	$1, 184($fp)                    # 4-byte Folded Reload
	sw	$1, 232($fp)
	.loc	4 146 12                        # firmware/include/tengig/state.h:146:12 @[ firmware/tengig/main.c:153:12 ]
	lw	$1, 232($fp)
	sw	$1, 188($fp)                    # 4-byte Folded Spill
	move	$2, $1
	sw	$2, 192($fp)                    # 4-byte Folded Spill
$tmp11:
	.loc	2 153 17                        # firmware/tengig/main.c:153:17
	andi	$2, $1, 3
	sw	$2, 196($fp)                    # 4-byte Folded Spill
	beqz	$1, $BB1_10
	nop
# %bb.7:                                #   in Loop: Header=BB1_6 Depth=1
	j	$BB1_8
	nop
$BB1_8:                                 #   in Loop: Header=BB1_6 Depth=1
	lw	$1, 196($fp)                    # 4-byte Folded Reload
	beqz	$1, $BB1_11
	nop
# %bb.9:                                #   in Loop: Header=BB1_6 Depth=1
	j	$BB1_10
	nop
$BB1_10:                                #   in Loop: Header=BB1_6 Depth=1
	lw	$5, 188($fp)                    # 4-byte Folded Reload
	lui	$1, %hi($__unnamed_5)
	addiu	$4, $1, %lo($__unnamed_5)
	jal	__ubsan_handle_type_mismatch_v1
	nop
	j	$BB1_11
	nop
$BB1_11:                                #   in Loop: Header=BB1_6 Depth=1
	lw	$1, 192($fp)                    # 4-byte Folded Reload
	addiu	$1, $1, 32
	sw	$1, 172($fp)                    # 4-byte Folded Spill
	move	$2, $1
	sw	$2, 176($fp)                    # 4-byte Folded Spill
	.loc	2 153 22 is_stmt 0              # firmware/tengig/main.c:153:22
	andi	$2, $1, 3
	sw	$2, 180($fp)                    # 4-byte Folded Spill
	beqz	$1, $BB1_15
	nop
# %bb.12:                               #   in Loop: Header=BB1_6 Depth=1
	j	$BB1_13
	nop
$BB1_13:                                #   in Loop: Header=BB1_6 Depth=1
	lw	$1, 180($fp)                    # 4-byte Folded Reload
	beqz	$1, $BB1_16
	nop
# %bb.14:                               #   in Loop: Header=BB1_6 Depth=1
	j	$BB1_15
	nop
$BB1_15:                                #   in Loop: Header=BB1_6 Depth=1
	lw	$5, 172($fp)                    # 4-byte Folded Reload
	lui	$1, %hi($__unnamed_6)
	addiu	$4, $1, %lo($__unnamed_6)
	jal	__ubsan_handle_type_mismatch_v1
	nop
	j	$BB1_16
	nop
$BB1_16:                                #   in Loop: Header=BB1_6 Depth=1
	lw	$1, 176($fp)                    # 4-byte Folded Reload
	lw	$1, 44($1)
	lui	$2, 21328
	ori	$2, $2, 20017
	.loc	2 153 5                         # firmware/tengig/main.c:153:5
	beq	$1, $2, $BB1_19
	nop
# %bb.17:                               #   in Loop: Header=BB1_6 Depth=1
	j	$BB1_18
	nop
$BB1_18:                                #   in Loop: Header=BB1_6 Depth=1
	.loc	2 154 9 is_stmt 1               # firmware/tengig/main.c:154:9
	jal	spin_pause
	nop
	.loc	2 153 5                         # firmware/tengig/main.c:153:5
	j	$BB1_6
	nop
$BB1_19:
	.loc	2 0 5 is_stmt 0                 # firmware/tengig/main.c:0:5
	addiu	$2, $zero, 64
$tmp12:
	.loc	4 145 5 is_stmt 1               # firmware/include/tengig/state.h:145:5 @[ firmware/tengig/main.c:155:20 ]
	#APP
	#NO_APP
	sw	$2, 156($fp)                    # 4-byte Folded Spill
	lw	$1, 156($fp)                    # 4-byte Folded Reload
	sw	$1, 228($fp)
	.loc	4 146 12                        # firmware/include/tengig/state.h:146:12 @[ firmware/tengig/main.c:155:20 ]
	lw	$1, 228($fp)
	sw	$1, 160($fp)                    # 4-byte Folded Spill
	move	$2, $1
	sw	$2, 164($fp)                    # 4-byte Folded Spill
$tmp13:
	.loc	2 155 25                        # firmware/tengig/main.c:155:25
	andi	$2, $1, 3
	sw	$2, 168($fp)                    # 4-byte Folded Spill
	beqz	$1, $BB1_23
	nop
# %bb.20:
	j	$BB1_21
	nop
$BB1_21:
	lw	$1, 168($fp)                    # 4-byte Folded Reload
	beqz	$1, $BB1_24
	nop
# %bb.22:
	j	$BB1_23
	nop
$BB1_23:
	lw	$5, 160($fp)                    # 4-byte Folded Reload
	lui	$1, %hi($__unnamed_7)
	addiu	$4, $1, %lo($__unnamed_7)
	jal	__ubsan_handle_type_mismatch_v1
	nop
	j	$BB1_24
	nop
$BB1_24:
	lw	$1, 164($fp)                    # 4-byte Folded Reload
	addiu	$1, $1, 32
	sw	$1, 144($fp)                    # 4-byte Folded Spill
	move	$2, $1
	sw	$2, 148($fp)                    # 4-byte Folded Spill
	.loc	2 155 30 is_stmt 0              # firmware/tengig/main.c:155:30
	andi	$2, $1, 3
	sw	$2, 152($fp)                    # 4-byte Folded Spill
	beqz	$1, $BB1_28
	nop
# %bb.25:
	j	$BB1_26
	nop
$BB1_26:
	lw	$1, 152($fp)                    # 4-byte Folded Reload
	beqz	$1, $BB1_29
	nop
# %bb.27:
	j	$BB1_28
	nop
$BB1_28:
	lw	$5, 144($fp)                    # 4-byte Folded Reload
	lui	$1, %hi($__unnamed_8)
	addiu	$4, $1, %lo($__unnamed_8)
	jal	__ubsan_handle_type_mismatch_v1
	nop
	j	$BB1_29
	nop
$BB1_29:
	lw	$1, 148($fp)                    # 4-byte Folded Reload
	addiu	$1, $1, 48
	sw	$1, 132($fp)                    # 4-byte Folded Spill
	move	$2, $1
	sw	$2, 136($fp)                    # 4-byte Folded Spill
	andi	$2, $1, 3
	sw	$2, 140($fp)                    # 4-byte Folded Spill
	beqz	$1, $BB1_33
	nop
# %bb.30:
	j	$BB1_31
	nop
$BB1_31:
	lw	$1, 140($fp)                    # 4-byte Folded Reload
	beqz	$1, $BB1_34
	nop
# %bb.32:
	j	$BB1_33
	nop
$BB1_33:
	lw	$5, 132($fp)                    # 4-byte Folded Reload
	lui	$1, %hi($__unnamed_9)
	addiu	$4, $1, %lo($__unnamed_9)
	jal	__ubsan_handle_type_mismatch_v1
	nop
	j	$BB1_34
	nop
$BB1_34:
	lw	$1, 136($fp)                    # 4-byte Folded Reload
	lw	$4, 0($1)
	.loc	2 155 5                         # firmware/tengig/main.c:155:5
	jal	start_counters
	nop
	.loc	2 156 22 is_stmt 1              # firmware/tengig/main.c:156:22
	jal	cycle_count
	nop
	sw	$2, 112($fp)                    # 4-byte Folded Spill
	addiu	$2, $zero, 64
$tmp14:
	.loc	4 145 5                         # firmware/include/tengig/state.h:145:5 @[ firmware/tengig/main.c:156:38 ]
	#APP
	#NO_APP
	sw	$2, 116($fp)                    # 4-byte Folded Spill
	lw	$1, 116($fp)                    # 4-byte Folded Reload
	sw	$1, 224($fp)
	.loc	4 146 12                        # firmware/include/tengig/state.h:146:12 @[ firmware/tengig/main.c:156:38 ]
	lw	$1, 224($fp)
	sw	$1, 120($fp)                    # 4-byte Folded Spill
	move	$2, $1
	sw	$2, 124($fp)                    # 4-byte Folded Spill
$tmp15:
	.loc	2 156 43                        # firmware/tengig/main.c:156:43
	andi	$2, $1, 3
	sw	$2, 128($fp)                    # 4-byte Folded Spill
	beqz	$1, $BB1_38
	nop
# %bb.35:
	j	$BB1_36
	nop
$BB1_36:
	lw	$1, 128($fp)                    # 4-byte Folded Reload
	beqz	$1, $BB1_39
	nop
# %bb.37:
	j	$BB1_38
	nop
$BB1_38:
	lw	$5, 120($fp)                    # 4-byte Folded Reload
	lui	$1, %hi($__unnamed_10)
	addiu	$4, $1, %lo($__unnamed_10)
	jal	__ubsan_handle_type_mismatch_v1
	nop
	j	$BB1_39
	nop
$BB1_39:
	lw	$1, 124($fp)                    # 4-byte Folded Reload
	addiu	$1, $1, 84
	sw	$1, 100($fp)                    # 4-byte Folded Spill
	move	$2, $1
	sw	$2, 104($fp)                    # 4-byte Folded Spill
	.loc	2 156 52 is_stmt 0              # firmware/tengig/main.c:156:52
	andi	$2, $1, 3
	sw	$2, 108($fp)                    # 4-byte Folded Spill
	beqz	$1, $BB1_43
	nop
# %bb.40:
	j	$BB1_41
	nop
$BB1_41:
	lw	$1, 108($fp)                    # 4-byte Folded Reload
	beqz	$1, $BB1_44
	nop
# %bb.42:
	j	$BB1_43
	nop
$BB1_43:
	lw	$5, 100($fp)                    # 4-byte Folded Reload
	lui	$1, %hi($__unnamed_11)
	addiu	$4, $1, %lo($__unnamed_11)
	jal	__ubsan_handle_type_mismatch_v1
	nop
	j	$BB1_44
	nop
$BB1_44:
	lw	$1, 104($fp)                    # 4-byte Folded Reload
	addiu	$1, $1, 8
	sw	$1, 88($fp)                     # 4-byte Folded Spill
	move	$2, $1
	sw	$2, 92($fp)                     # 4-byte Folded Spill
	andi	$2, $1, 3
	sw	$2, 96($fp)                     # 4-byte Folded Spill
	beqz	$1, $BB1_48
	nop
# %bb.45:
	j	$BB1_46
	nop
$BB1_46:
	lw	$1, 96($fp)                     # 4-byte Folded Reload
	beqz	$1, $BB1_49
	nop
# %bb.47:
	j	$BB1_48
	nop
$BB1_48:
	lw	$5, 88($fp)                     # 4-byte Folded Reload
	lui	$1, %hi($__unnamed_12)
	addiu	$4, $1, %lo($__unnamed_12)
	jal	__ubsan_handle_type_mismatch_v1
	nop
	j	$BB1_49
	nop
$BB1_49:
	lw	$1, 112($fp)                    # 4-byte Folded Reload
	lw	$2, 92($fp)                     # 4-byte Folded Reload
	lw	$2, 0($2)
	.loc	2 156 36                        # firmware/tengig/main.c:156:36
	addu	$1, $1, $2
	sw	$1, 68($fp)                     # 4-byte Folded Spill
	addiu	$2, $zero, 64
$tmp16:
	.loc	4 145 5 is_stmt 1               # firmware/include/tengig/state.h:145:5 @[ firmware/tengig/main.c:156:5 ]
	#APP
	#NO_APP
	sw	$2, 72($fp)                     # 4-byte Folded Spill
	lw	$1, 72($fp)                     # 4-byte Folded Reload
	sw	$1, 220($fp)
	.loc	4 146 12                        # firmware/include/tengig/state.h:146:12 @[ firmware/tengig/main.c:156:5 ]
	lw	$1, 220($fp)
	sw	$1, 76($fp)                     # 4-byte Folded Spill
	move	$2, $1
	sw	$2, 80($fp)                     # 4-byte Folded Spill
$tmp17:
	.loc	2 156 10                        # firmware/tengig/main.c:156:10
	andi	$2, $1, 3
	sw	$2, 84($fp)                     # 4-byte Folded Spill
	beqz	$1, $BB1_53
	nop
# %bb.50:
	j	$BB1_51
	nop
$BB1_51:
	lw	$1, 84($fp)                     # 4-byte Folded Reload
	beqz	$1, $BB1_54
	nop
# %bb.52:
	j	$BB1_53
	nop
$BB1_53:
	lw	$5, 76($fp)                     # 4-byte Folded Reload
	lui	$1, %hi($__unnamed_13)
	addiu	$4, $1, %lo($__unnamed_13)
	jal	__ubsan_handle_type_mismatch_v1
	nop
	j	$BB1_54
	nop
$BB1_54:
	.loc	2 156 20 is_stmt 0              # firmware/tengig/main.c:156:20
	lw	$1, 68($fp)                     # 4-byte Folded Reload
	lw	$2, 80($fp)                     # 4-byte Folded Reload
	sw	$1, 2796($2)
	addiu	$1, $zero, 0
	.loc	2 157 24 is_stmt 1              # firmware/tengig/main.c:157:24
	bnez	$zero, $BB1_58
	nop
# %bb.55:
	j	$BB1_56
	nop
$BB1_56:
	b	$BB1_59
	nop
# %bb.57:
	j	$BB1_58
	nop
$BB1_58:
	lui	$1, %hi($__unnamed_14)
	addiu	$4, $1, %lo($__unnamed_14)
	lui	$1, 8192
	ori	$5, $1, 768
	jal	__ubsan_handle_type_mismatch_v1
	nop
	j	$BB1_59
	nop
$BB1_59:
	.loc	2 0 24 is_stmt 0                # firmware/tengig/main.c:0:24
	lui	$1, 8192
	ori	$2, $1, 800
	lui	$1, 16448
	.loc	2 157 36                        # firmware/tengig/main.c:157:36
	sw	$1, 0($2)
	addiu	$1, $zero, 0
	.loc	2 158 24 is_stmt 1              # firmware/tengig/main.c:158:24
	bnez	$zero, $BB1_63
	nop
# %bb.60:
	j	$BB1_61
	nop
$BB1_61:
	b	$BB1_64
	nop
# %bb.62:
	j	$BB1_63
	nop
$BB1_63:
	lui	$1, %hi($__unnamed_15)
	addiu	$4, $1, %lo($__unnamed_15)
	lui	$1, 8192
	ori	$5, $1, 768
	jal	__ubsan_handle_type_mismatch_v1
	nop
	j	$BB1_64
	nop
$BB1_64:
	.loc	2 0 24 is_stmt 0                # firmware/tengig/main.c:0:24
	lui	$1, 8192
	ori	$2, $1, 804
	lui	$1, 16
	.loc	2 158 36                        # firmware/tengig/main.c:158:36
	sw	$1, 0($2)
	addiu	$1, $zero, 0
	.loc	2 159 24 is_stmt 1              # firmware/tengig/main.c:159:24
	bnez	$zero, $BB1_68
	nop
# %bb.65:
	j	$BB1_66
	nop
$BB1_66:
	b	$BB1_69
	nop
# %bb.67:
	j	$BB1_68
	nop
$BB1_68:
	lui	$1, %hi($__unnamed_16)
	addiu	$4, $1, %lo($__unnamed_16)
	lui	$1, 8192
	ori	$5, $1, 768
	jal	__ubsan_handle_type_mismatch_v1
	nop
	j	$BB1_69
	nop
$BB1_69:
	.loc	2 0 24 is_stmt 0                # firmware/tengig/main.c:0:24
	lui	$1, 8192
	ori	$2, $1, 812
	lui	$1, 16448
	.loc	2 159 40                        # firmware/tengig/main.c:159:40
	sw	$1, 0($2)
	.loc	2 160 84 is_stmt 1              # firmware/tengig/main.c:160:84
	lw	$1, 216($fp)
	sw	$1, 56($fp)                     # 4-byte Folded Spill
	move	$2, $1
	sw	$2, 60($fp)                     # 4-byte Folded Spill
	.loc	2 160 95 is_stmt 0              # firmware/tengig/main.c:160:95
	andi	$2, $1, 3
	sw	$2, 64($fp)                     # 4-byte Folded Spill
	beqz	$1, $BB1_73
	nop
# %bb.70:
	j	$BB1_71
	nop
$BB1_71:
	lw	$1, 64($fp)                     # 4-byte Folded Reload
	beqz	$1, $BB1_74
	nop
# %bb.72:
	j	$BB1_73
	nop
$BB1_73:
	lw	$5, 56($fp)                     # 4-byte Folded Reload
	lui	$1, %hi($__unnamed_17)
	addiu	$4, $1, %lo($__unnamed_17)
	jal	__ubsan_handle_type_mismatch_v1
	nop
	j	$BB1_74
	nop
$BB1_74:
	lw	$1, 60($fp)                     # 4-byte Folded Reload
	addiu	$7, $1, 8
	lui	$4, 8192
	addiu	$5, $zero, 16384
	addiu	$6, $zero, 256
	.loc	2 160 5                         # firmware/tengig/main.c:160:5
	jal	start_ring
	nop
	.loc	2 161 87 is_stmt 1              # firmware/tengig/main.c:161:87
	lw	$1, 216($fp)
	sw	$1, 44($fp)                     # 4-byte Folded Spill
	move	$2, $1
	sw	$2, 48($fp)                     # 4-byte Folded Spill
	.loc	2 161 98 is_stmt 0              # firmware/tengig/main.c:161:98
	andi	$2, $1, 3
	sw	$2, 52($fp)                     # 4-byte Folded Spill
	beqz	$1, $BB1_78
	nop
# %bb.75:
	j	$BB1_76
	nop
$BB1_76:
	lw	$1, 52($fp)                     # 4-byte Folded Reload
	beqz	$1, $BB1_79
	nop
# %bb.77:
	j	$BB1_78
	nop
$BB1_78:
	lw	$5, 44($fp)                     # 4-byte Folded Reload
	lui	$1, %hi($__unnamed_18)
	addiu	$4, $1, %lo($__unnamed_18)
	jal	__ubsan_handle_type_mismatch_v1
	nop
	j	$BB1_79
	nop
$BB1_79:
	lw	$1, 48($fp)                     # 4-byte Folded Reload
	addiu	$7, $1, 12
	lui	$1, 8192
	ori	$4, $1, 256
	addiu	$5, $zero, 20480
	addiu	$6, $zero, 256
	.loc	2 161 5                         # firmware/tengig/main.c:161:5
	jal	start_ring
	nop
	.loc	2 162 90 is_stmt 1              # firmware/tengig/main.c:162:90
	lw	$1, 216($fp)
	sw	$1, 32($fp)                     # 4-byte Folded Spill
	move	$2, $1
	sw	$2, 36($fp)                     # 4-byte Folded Spill
	.loc	2 162 101 is_stmt 0             # firmware/tengig/main.c:162:101
	andi	$2, $1, 3
	sw	$2, 40($fp)                     # 4-byte Folded Spill
	beqz	$1, $BB1_83
	nop
# %bb.80:
	j	$BB1_81
	nop
$BB1_81:
	lw	$1, 40($fp)                     # 4-byte Folded Reload
	beqz	$1, $BB1_84
	nop
# %bb.82:
	j	$BB1_83
	nop
$BB1_83:
	lw	$5, 32($fp)                     # 4-byte Folded Reload
	lui	$1, %hi($__unnamed_19)
	addiu	$4, $1, %lo($__unnamed_19)
	jal	__ubsan_handle_type_mismatch_v1
	nop
	j	$BB1_84
	nop
$BB1_84:
	lw	$1, 36($fp)                     # 4-byte Folded Reload
	addiu	$7, $1, 16
	lui	$1, 8192
	ori	$4, $1, 512
	ori	$5, $zero, 36864
	addiu	$6, $zero, 256
	.loc	2 162 5                         # firmware/tengig/main.c:162:5
	jal	start_ring
	nop
	addiu	$1, $zero, 0
	.loc	2 163 36 is_stmt 1              # firmware/tengig/main.c:163:36
	bnez	$zero, $BB1_88
	nop
# %bb.85:
	j	$BB1_86
	nop
$BB1_86:
	b	$BB1_89
	nop
# %bb.87:
	j	$BB1_88
	nop
$BB1_88:
	lui	$1, %hi($__unnamed_20)
	addiu	$4, $1, %lo($__unnamed_20)
	lui	$1, 8192
	ori	$5, $1, 768
	jal	__ubsan_handle_type_mismatch_v1
	nop
	j	$BB1_89
	nop
$BB1_89:
	.loc	2 163 95 is_stmt 0              # firmware/tengig/main.c:163:95
	lw	$1, 216($fp)
	sw	$1, 20($fp)                     # 4-byte Folded Spill
	move	$2, $1
	sw	$2, 24($fp)                     # 4-byte Folded Spill
	.loc	2 163 106                       # firmware/tengig/main.c:163:106
	andi	$2, $1, 3
	sw	$2, 28($fp)                     # 4-byte Folded Spill
	beqz	$1, $BB1_93
	nop
# %bb.90:
	j	$BB1_91
	nop
$BB1_91:
	lw	$1, 28($fp)                     # 4-byte Folded Reload
	beqz	$1, $BB1_94
	nop
# %bb.92:
	j	$BB1_93
	nop
$BB1_93:
	lw	$5, 20($fp)                     # 4-byte Folded Reload
	lui	$1, %hi($__unnamed_21)
	addiu	$4, $1, %lo($__unnamed_21)
	jal	__ubsan_handle_type_mismatch_v1
	nop
	j	$BB1_94
	nop
$BB1_94:
	lw	$1, 24($fp)                     # 4-byte Folded Reload
	addiu	$7, $1, 20
	lui	$1, 8192
	ori	$4, $1, 768
	ori	$5, $zero, 38912
	addiu	$6, $zero, 256
	.loc	2 163 5                         # firmware/tengig/main.c:163:5
	jal	start_ring
	nop
	.loc	2 164 20 is_stmt 1              # firmware/tengig/main.c:164:20
	lui	$2, %hi(is_initialised)
	addiu	$1, $zero, 1
	sw	$1, %lo(is_initialised)($2)
	.loc	2 165 1                         # firmware/tengig/main.c:165:1
	move	$sp, $fp
	lw	$fp, 240($sp)                   # 4-byte Folded Reload
	lw	$ra, 244($sp)                   # 4-byte Folded Reload
	addiu	$sp, $sp, 248
	jr	$ra
	nop
$tmp18:
	.set	at
	.set	macro
	.set	reorder
	.end	initialise
$func_end1:
	.size	initialise, $func_end1-initialise
	.cfi_endproc
	.file	5 "/work/trees/house" "firmware/include/tengig/addresses.h"
	.file	6 "/work/trees/house" "firmware/include/spinach/lock.h"
                                        # -- End function
	.p2align	2                               # -- Begin function spin_pause
	.type	spin_pause,@function
	.set	nomicromips
	.set	nomips16
	.ent	spin_pause
spin_pause:                             # @spin_pause
$tmp19:
$func_begin2 = $tmp19
	.file	7 "/work/trees/house" "firmware/include/spinach/intrinsics.h"
	.loc	7 54 0                          # firmware/include/spinach/intrinsics.h:54:0
	.cfi_startproc
	.frame	$fp,24,$ra
	.mask 	0xc0000000,-4
	.fmask	0x00000000,0
	.set	noreorder
	.set	nomacro
	.set	noat
# %bb.0:
	addiu	$sp, $sp, -24
	.cfi_def_cfa_offset 24
	sw	$ra, 20($sp)                    # 4-byte Folded Spill
	sw	$fp, 16($sp)                    # 4-byte Folded Spill
	.cfi_offset 31, -4
	.cfi_offset 30, -8
	move	$fp, $sp
	.cfi_def_cfa_register 30
$tmp20:
	.loc	7 55 5 prologue_end             # firmware/include/spinach/intrinsics.h:55:5
	jal	compiler_barrier
	nop
	.loc	7 56 1                          # firmware/include/spinach/intrinsics.h:56:1
	move	$sp, $fp
	lw	$fp, 16($sp)                    # 4-byte Folded Reload
	lw	$ra, 20($sp)                    # 4-byte Folded Reload
	addiu	$sp, $sp, 24
	jr	$ra
	nop
$tmp21:
	.set	at
	.set	macro
	.set	reorder
	.end	spin_pause
$func_end2:
	.size	spin_pause, $func_end2-spin_pause
	.cfi_endproc
                                        # -- End function
	.section	.text.task.send_dispatch_ordering,"ax",@progbits
	.p2align	2                               # -- Begin function send_pass
	.type	send_pass,@function
	.set	nomicromips
	.set	nomips16
	.ent	send_pass
send_pass:                              # @send_pass
$tmp22:
$func_begin3 = $tmp22
	.loc	2 68 0                          # firmware/tengig/main.c:68:0
	.cfi_startproc
	.frame	$fp,160,$ra
	.mask 	0xc0000000,-4
	.fmask	0x00000000,0
	.set	noreorder
	.set	nomacro
	.set	noat
# %bb.0:
	addiu	$sp, $sp, -160
	.cfi_def_cfa_offset 160
	sw	$ra, 156($sp)                   # 4-byte Folded Spill
	sw	$fp, 152($sp)                   # 4-byte Folded Spill
	.cfi_offset 31, -4
	.cfi_offset 30, -8
	move	$fp, $sp
	.cfi_def_cfa_register 30
                                        # kill: def $at killed $a0
	sb	$4, 143($fp)
	addiu	$1, $zero, 0
$tmp23:
	.loc	2 69 10 prologue_end            # firmware/tengig/main.c:69:10
	sb	$zero, 142($fp)
$tmp24:
	.loc	2 71 9                          # firmware/tengig/main.c:71:9
	jal	reads_are_done
	nop
	.loc	2 71 26 is_stmt 0               # firmware/tengig/main.c:71:26
	beqz	$2, $BB3_25
	nop
# %bb.1:
	j	$BB3_2
	nop
$BB3_2:
	.loc	2 0 26                          # firmware/tengig/main.c:0:26
	addiu	$2, $zero, 64
$tmp25:
	.loc	4 145 5 is_stmt 1               # firmware/include/tengig/state.h:145:5 @[ firmware/tengig/main.c:72:25 ]
	#APP
	#NO_APP
	sw	$2, 116($fp)                    # 4-byte Folded Spill
	lw	$1, 116($fp)                    # 4-byte Folded Reload
	sw	$1, 148($fp)
	.loc	4 146 12                        # firmware/include/tengig/state.h:146:12 @[ firmware/tengig/main.c:72:25 ]
	lw	$1, 148($fp)
	sw	$1, 120($fp)                    # 4-byte Folded Spill
	move	$2, $1
	sw	$2, 124($fp)                    # 4-byte Folded Spill
$tmp26:
	.loc	2 72 30                         # firmware/tengig/main.c:72:30
	andi	$2, $1, 3
	sw	$2, 128($fp)                    # 4-byte Folded Spill
	beqz	$1, $BB3_6
	nop
# %bb.3:
	j	$BB3_4
	nop
$BB3_4:
	lw	$1, 128($fp)                    # 4-byte Folded Reload
	beqz	$1, $BB3_7
	nop
# %bb.5:
	j	$BB3_6
	nop
$BB3_6:
	lw	$5, 120($fp)                    # 4-byte Folded Reload
	lui	$1, %hi($__unnamed_22)
	addiu	$4, $1, %lo($__unnamed_22)
	jal	__ubsan_handle_type_mismatch_v1
	nop
	j	$BB3_7
	nop
$BB3_7:
	lw	$1, 124($fp)                    # 4-byte Folded Reload
	addiu	$1, $1, 180
	sw	$1, 104($fp)                    # 4-byte Folded Spill
	move	$2, $1
	sw	$2, 108($fp)                    # 4-byte Folded Spill
	.loc	2 72 36 is_stmt 0               # firmware/tengig/main.c:72:36
	andi	$2, $1, 3
	sw	$2, 112($fp)                    # 4-byte Folded Spill
	beqz	$1, $BB3_11
	nop
# %bb.8:
	j	$BB3_9
	nop
$BB3_9:
	lw	$1, 112($fp)                    # 4-byte Folded Reload
	beqz	$1, $BB3_12
	nop
# %bb.10:
	j	$BB3_11
	nop
$BB3_11:
	lw	$5, 104($fp)                    # 4-byte Folded Reload
	lui	$1, %hi($__unnamed_23)
	addiu	$4, $1, %lo($__unnamed_23)
	jal	__ubsan_handle_type_mismatch_v1
	nop
	j	$BB3_12
	nop
$BB3_12:
	lw	$1, 108($fp)                    # 4-byte Folded Reload
	addiu	$1, $1, 16
	sw	$1, 84($fp)                     # 4-byte Folded Spill
	addiu	$2, $zero, 64
$tmp27:
	.loc	4 145 5 is_stmt 1               # firmware/include/tengig/state.h:145:5 @[ firmware/tengig/main.c:72:46 ]
	#APP
	#NO_APP
	sw	$2, 88($fp)                     # 4-byte Folded Spill
	lw	$1, 88($fp)                     # 4-byte Folded Reload
	sw	$1, 144($fp)
	.loc	4 146 12                        # firmware/include/tengig/state.h:146:12 @[ firmware/tengig/main.c:72:46 ]
	lw	$1, 144($fp)
	sw	$1, 92($fp)                     # 4-byte Folded Spill
	move	$2, $1
	sw	$2, 96($fp)                     # 4-byte Folded Spill
$tmp28:
	.loc	2 72 51                         # firmware/tengig/main.c:72:51
	andi	$2, $1, 3
	sw	$2, 100($fp)                    # 4-byte Folded Spill
	beqz	$1, $BB3_16
	nop
# %bb.13:
	j	$BB3_14
	nop
$BB3_14:
	lw	$1, 100($fp)                    # 4-byte Folded Reload
	beqz	$1, $BB3_17
	nop
# %bb.15:
	j	$BB3_16
	nop
$BB3_16:
	lw	$5, 92($fp)                     # 4-byte Folded Reload
	lui	$1, %hi($__unnamed_24)
	addiu	$4, $1, %lo($__unnamed_24)
	jal	__ubsan_handle_type_mismatch_v1
	nop
	j	$BB3_17
	nop
$BB3_17:
	lw	$1, 96($fp)                     # 4-byte Folded Reload
	move	$2, $1
	sw	$2, 72($fp)                     # 4-byte Folded Spill
	.loc	2 72 61 is_stmt 0               # firmware/tengig/main.c:72:61
	move	$2, $1
	sw	$2, 76($fp)                     # 4-byte Folded Spill
	andi	$2, $1, 3
	sw	$2, 80($fp)                     # 4-byte Folded Spill
	beqz	$1, $BB3_21
	nop
# %bb.18:
	j	$BB3_19
	nop
$BB3_19:
	lw	$1, 80($fp)                     # 4-byte Folded Reload
	beqz	$1, $BB3_22
	nop
# %bb.20:
	j	$BB3_21
	nop
$BB3_21:
	lw	$5, 76($fp)                     # 4-byte Folded Reload
	lui	$1, %hi($__unnamed_25)
	addiu	$4, $1, %lo($__unnamed_25)
	jal	__ubsan_handle_type_mismatch_v1
	nop
	j	$BB3_22
	nop
$BB3_22:
	lw	$4, 84($fp)                     # 4-byte Folded Reload
	lw	$1, 72($fp)                     # 4-byte Folded Reload
	addiu	$5, $1, 8
	addiu	$6, $zero, 16
	addiu	$7, $fp, 136
	.loc	2 72 18                         # firmware/tengig/main.c:72:18
	jal	claim
	nop
	.loc	2 72 16                         # firmware/tengig/main.c:72:16
	sw	$2, 132($fp)
	.loc	2 71 26 is_stmt 1               # firmware/tengig/main.c:71:26
	beqz	$2, $BB3_25
	nop
# %bb.23:
	j	$BB3_24
	nop
$BB3_24:
$tmp29:
	.loc	2 73 26                         # firmware/tengig/main.c:73:26
	lw	$4, 136($fp)
	.loc	2 73 41 is_stmt 0               # firmware/tengig/main.c:73:41
	lw	$1, 132($fp)
	.loc	2 73 39                         # firmware/tengig/main.c:73:39
	addu	$5, $4, $1
	.loc	2 73 9                          # firmware/tengig/main.c:73:9
	jal	handle_dma_reads
	nop
	addiu	$1, $zero, 1
	.loc	2 74 17 is_stmt 1               # firmware/tengig/main.c:74:17
	sb	$1, 142($fp)
	.loc	2 75 5                          # firmware/tengig/main.c:75:5
	j	$BB3_25
	nop
$tmp30:
$BB3_25:
	.loc	2 76 9                          # firmware/tengig/main.c:76:9
	lbu	$1, 143($fp)
	sw	$1, 68($fp)                     # 4-byte Folded Spill
	sltiu	$1, $1, 2
	bnez	$1, $BB3_28
	nop
# %bb.26:
	j	$BB3_27
	nop
$BB3_27:
	lw	$1, 68($fp)                     # 4-byte Folded Reload
	andi	$5, $1, 255
	lui	$1, %hi($__unnamed_26)
	addiu	$4, $1, %lo($__unnamed_26)
	jal	__ubsan_handle_load_invalid_value
	nop
	j	$BB3_28
	nop
$BB3_28:
	lw	$1, 68($fp)                     # 4-byte Folded Reload
	andi	$1, $1, 1
	.loc	2 76 20 is_stmt 0               # firmware/tengig/main.c:76:20
	beqz	$1, $BB3_36
	nop
# %bb.29:
	j	$BB3_30
	nop
$BB3_30:
	.loc	2 76 23                         # firmware/tengig/main.c:76:23
	jal	frames_can_be_committed
	nop
	.loc	2 76 20                         # firmware/tengig/main.c:76:20
	beqz	$2, $BB3_36
	nop
# %bb.31:
	j	$BB3_32
	nop
$BB3_32:
	.loc	2 77 20 is_stmt 1               # firmware/tengig/main.c:77:20
	jal	commit_frames
	nop
	sw	$2, 60($fp)                     # 4-byte Folded Spill
	.loc	2 77 17 is_stmt 0               # firmware/tengig/main.c:77:17
	lbu	$1, 142($fp)
	sw	$1, 64($fp)                     # 4-byte Folded Spill
	sltiu	$1, $1, 2
	bnez	$1, $BB3_35
	nop
# %bb.33:
	j	$BB3_34
	nop
$BB3_34:
	lw	$1, 64($fp)                     # 4-byte Folded Reload
	andi	$5, $1, 255
	lui	$1, %hi($__unnamed_27)
	addiu	$4, $1, %lo($__unnamed_27)
	jal	__ubsan_handle_load_invalid_value
	nop
	j	$BB3_35
	nop
$BB3_35:
	lw	$2, 60($fp)                     # 4-byte Folded Reload
	lw	$1, 64($fp)                     # 4-byte Folded Reload
	andi	$1, $1, 1
	or	$1, $1, $2
	sltu	$1, $zero, $1
	sb	$1, 142($fp)
	.loc	2 77 9                          # firmware/tengig/main.c:77:9
	j	$BB3_36
	nop
$tmp31:
$BB3_36:
	.loc	2 78 9 is_stmt 1                # firmware/tengig/main.c:78:9
	jal	frames_can_be_fetched
	nop
	beqz	$2, $BB3_42
	nop
# %bb.37:
	j	$BB3_38
	nop
$BB3_38:
	.loc	2 79 20                         # firmware/tengig/main.c:79:20
	jal	fetch_frames
	nop
	sw	$2, 52($fp)                     # 4-byte Folded Spill
	.loc	2 79 17 is_stmt 0               # firmware/tengig/main.c:79:17
	lbu	$1, 142($fp)
	sw	$1, 56($fp)                     # 4-byte Folded Spill
	sltiu	$1, $1, 2
	bnez	$1, $BB3_41
	nop
# %bb.39:
	j	$BB3_40
	nop
$BB3_40:
	lw	$1, 56($fp)                     # 4-byte Folded Reload
	andi	$5, $1, 255
	lui	$1, %hi($__unnamed_28)
	addiu	$4, $1, %lo($__unnamed_28)
	jal	__ubsan_handle_load_invalid_value
	nop
	j	$BB3_41
	nop
$BB3_41:
	lw	$2, 52($fp)                     # 4-byte Folded Reload
	lw	$1, 56($fp)                     # 4-byte Folded Reload
	andi	$1, $1, 1
	or	$1, $1, $2
	sltu	$1, $zero, $1
	sb	$1, 142($fp)
	.loc	2 79 9                          # firmware/tengig/main.c:79:9
	j	$BB3_42
	nop
$tmp32:
$BB3_42:
	.loc	2 80 9 is_stmt 1                # firmware/tengig/main.c:80:9
	jal	reads_can_be_published
	nop
	beqz	$2, $BB3_48
	nop
# %bb.43:
	j	$BB3_44
	nop
$BB3_44:
	.loc	2 81 20                         # firmware/tengig/main.c:81:20
	jal	publish_reads
	nop
	sw	$2, 44($fp)                     # 4-byte Folded Spill
	.loc	2 81 17 is_stmt 0               # firmware/tengig/main.c:81:17
	lbu	$1, 142($fp)
	sw	$1, 48($fp)                     # 4-byte Folded Spill
	sltiu	$1, $1, 2
	bnez	$1, $BB3_47
	nop
# %bb.45:
	j	$BB3_46
	nop
$BB3_46:
	lw	$1, 48($fp)                     # 4-byte Folded Reload
	andi	$5, $1, 255
	lui	$1, %hi($__unnamed_29)
	addiu	$4, $1, %lo($__unnamed_29)
	jal	__ubsan_handle_load_invalid_value
	nop
	j	$BB3_47
	nop
$BB3_47:
	lw	$2, 44($fp)                     # 4-byte Folded Reload
	lw	$1, 48($fp)                     # 4-byte Folded Reload
	andi	$1, $1, 1
	or	$1, $1, $2
	sltu	$1, $zero, $1
	sb	$1, 142($fp)
	.loc	2 81 9                          # firmware/tengig/main.c:81:9
	j	$BB3_48
	nop
$tmp33:
$BB3_48:
	.loc	2 82 9 is_stmt 1                # firmware/tengig/main.c:82:9
	jal	transmits_can_be_retired
	nop
	beqz	$2, $BB3_54
	nop
# %bb.49:
	j	$BB3_50
	nop
$BB3_50:
	.loc	2 83 20                         # firmware/tengig/main.c:83:20
	jal	retire_transmits
	nop
	sw	$2, 36($fp)                     # 4-byte Folded Spill
	.loc	2 83 17 is_stmt 0               # firmware/tengig/main.c:83:17
	lbu	$1, 142($fp)
	sw	$1, 40($fp)                     # 4-byte Folded Spill
	sltiu	$1, $1, 2
	bnez	$1, $BB3_53
	nop
# %bb.51:
	j	$BB3_52
	nop
$BB3_52:
	lw	$1, 40($fp)                     # 4-byte Folded Reload
	andi	$5, $1, 255
	lui	$1, %hi($__unnamed_30)
	addiu	$4, $1, %lo($__unnamed_30)
	jal	__ubsan_handle_load_invalid_value
	nop
	j	$BB3_53
	nop
$BB3_53:
	lw	$2, 36($fp)                     # 4-byte Folded Reload
	lw	$1, 40($fp)                     # 4-byte Folded Reload
	andi	$1, $1, 1
	or	$1, $1, $2
	sltu	$1, $zero, $1
	sb	$1, 142($fp)
	.loc	2 83 9                          # firmware/tengig/main.c:83:9
	j	$BB3_54
	nop
$tmp34:
$BB3_54:
	.loc	2 84 9 is_stmt 1                # firmware/tengig/main.c:84:9
	jal	send_bds_can_be_fetched
	nop
	beqz	$2, $BB3_60
	nop
# %bb.55:
	j	$BB3_56
	nop
$BB3_56:
	.loc	2 85 20                         # firmware/tengig/main.c:85:20
	jal	fetch_send_bds
	nop
	sw	$2, 28($fp)                     # 4-byte Folded Spill
	.loc	2 85 17 is_stmt 0               # firmware/tengig/main.c:85:17
	lbu	$1, 142($fp)
	sw	$1, 32($fp)                     # 4-byte Folded Spill
	sltiu	$1, $1, 2
	bnez	$1, $BB3_59
	nop
# %bb.57:
	j	$BB3_58
	nop
$BB3_58:
	lw	$1, 32($fp)                     # 4-byte Folded Reload
	andi	$5, $1, 255
	lui	$1, %hi($__unnamed_31)
	addiu	$4, $1, %lo($__unnamed_31)
	jal	__ubsan_handle_load_invalid_value
	nop
	j	$BB3_59
	nop
$BB3_59:
	lw	$2, 28($fp)                     # 4-byte Folded Reload
	lw	$1, 32($fp)                     # 4-byte Folded Reload
	andi	$1, $1, 1
	or	$1, $1, $2
	sltu	$1, $zero, $1
	sb	$1, 142($fp)
	.loc	2 85 9                          # firmware/tengig/main.c:85:9
	j	$BB3_60
	nop
$tmp35:
$BB3_60:
	.loc	2 86 9 is_stmt 1                # firmware/tengig/main.c:86:9
	jal	status_is_due
	nop
	beqz	$2, $BB3_66
	nop
# %bb.61:
	j	$BB3_62
	nop
$BB3_62:
	.loc	2 87 20                         # firmware/tengig/main.c:87:20
	jal	update_status
	nop
	sw	$2, 20($fp)                     # 4-byte Folded Spill
	.loc	2 87 17 is_stmt 0               # firmware/tengig/main.c:87:17
	lbu	$1, 142($fp)
	sw	$1, 24($fp)                     # 4-byte Folded Spill
	sltiu	$1, $1, 2
	bnez	$1, $BB3_65
	nop
# %bb.63:
	j	$BB3_64
	nop
$BB3_64:
	lw	$1, 24($fp)                     # 4-byte Folded Reload
	andi	$5, $1, 255
	lui	$1, %hi($__unnamed_32)
	addiu	$4, $1, %lo($__unnamed_32)
	jal	__ubsan_handle_load_invalid_value
	nop
	j	$BB3_65
	nop
$BB3_65:
	lw	$2, 20($fp)                     # 4-byte Folded Reload
	lw	$1, 24($fp)                     # 4-byte Folded Reload
	andi	$1, $1, 1
	or	$1, $1, $2
	sltu	$1, $zero, $1
	sb	$1, 142($fp)
	.loc	2 87 9                          # firmware/tengig/main.c:87:9
	j	$BB3_66
	nop
$tmp36:
$BB3_66:
	.loc	2 88 12 is_stmt 1               # firmware/tengig/main.c:88:12
	lbu	$1, 142($fp)
	sw	$1, 16($fp)                     # 4-byte Folded Spill
	sltiu	$1, $1, 2
	bnez	$1, $BB3_69
	nop
# %bb.67:
	j	$BB3_68
	nop
$BB3_68:
	lw	$1, 16($fp)                     # 4-byte Folded Reload
	andi	$5, $1, 255
	lui	$1, %hi($__unnamed_33)
	addiu	$4, $1, %lo($__unnamed_33)
	jal	__ubsan_handle_load_invalid_value
	nop
	j	$BB3_69
	nop
$BB3_69:
	.loc	2 88 5 is_stmt 0                # firmware/tengig/main.c:88:5
	lw	$1, 16($fp)                     # 4-byte Folded Reload
	andi	$2, $1, 1
	move	$sp, $fp
	lw	$fp, 152($sp)                   # 4-byte Folded Reload
	lw	$ra, 156($sp)                   # 4-byte Folded Reload
	addiu	$sp, $sp, 160
	jr	$ra
	nop
$tmp37:
	.set	at
	.set	macro
	.set	reorder
	.end	send_pass
$func_end3:
	.size	send_pass, $func_end3-send_pass
	.cfi_endproc
                                        # -- End function
	.section	.text.task.receive_dispatch_ordering,"ax",@progbits
	.p2align	2                               # -- Begin function receive_pass
	.type	receive_pass,@function
	.set	nomicromips
	.set	nomips16
	.ent	receive_pass
receive_pass:                           # @receive_pass
$tmp38:
$func_begin4 = $tmp38
	.loc	2 92 0 is_stmt 1                # firmware/tengig/main.c:92:0
	.cfi_startproc
	.frame	$fp,200,$ra
	.mask 	0xc0000000,-4
	.fmask	0x00000000,0
	.set	noreorder
	.set	nomacro
	.set	noat
# %bb.0:
	addiu	$sp, $sp, -200
	.cfi_def_cfa_offset 200
	sw	$ra, 196($sp)                   # 4-byte Folded Spill
	sw	$fp, 192($sp)                   # 4-byte Folded Spill
	.cfi_offset 31, -4
	.cfi_offset 30, -8
	move	$fp, $sp
	.cfi_def_cfa_register 30
	addiu	$1, $zero, 0
$tmp39:
	.loc	2 93 10 prologue_end            # firmware/tengig/main.c:93:10
	sb	$zero, 175($fp)
$tmp40:
	.loc	2 95 9                          # firmware/tengig/main.c:95:9
	jal	frames_have_arrived
	nop
	.loc	2 95 31 is_stmt 0               # firmware/tengig/main.c:95:31
	beqz	$2, $BB4_20
	nop
# %bb.1:
	j	$BB4_2
	nop
$BB4_2:
	.loc	2 0 31                          # firmware/tengig/main.c:0:31
	addiu	$2, $zero, 64
$tmp41:
	.loc	4 145 5 is_stmt 1               # firmware/include/tengig/state.h:145:5 @[ firmware/tengig/main.c:96:25 ]
	#APP
	#NO_APP
	sw	$2, 148($fp)                    # 4-byte Folded Spill
	lw	$1, 148($fp)                    # 4-byte Folded Reload
	sw	$1, 188($fp)
	.loc	4 146 12                        # firmware/include/tengig/state.h:146:12 @[ firmware/tengig/main.c:96:25 ]
	lw	$1, 188($fp)
	sw	$1, 152($fp)                    # 4-byte Folded Spill
	move	$2, $1
	sw	$2, 156($fp)                    # 4-byte Folded Spill
$tmp42:
	.loc	2 96 30                         # firmware/tengig/main.c:96:30
	andi	$2, $1, 3
	sw	$2, 160($fp)                    # 4-byte Folded Spill
	beqz	$1, $BB4_6
	nop
# %bb.3:
	j	$BB4_4
	nop
$BB4_4:
	lw	$1, 160($fp)                    # 4-byte Folded Reload
	beqz	$1, $BB4_7
	nop
# %bb.5:
	j	$BB4_6
	nop
$BB4_6:
	lw	$5, 152($fp)                    # 4-byte Folded Reload
	lui	$1, %hi($__unnamed_34)
	addiu	$4, $1, %lo($__unnamed_34)
	jal	__ubsan_handle_type_mismatch_v1
	nop
	j	$BB4_7
	nop
$BB4_7:
	lw	$1, 156($fp)                    # 4-byte Folded Reload
	addiu	$1, $1, 160
	sw	$1, 128($fp)                    # 4-byte Folded Spill
	addiu	$2, $zero, 64
$tmp43:
	.loc	4 145 5                         # firmware/include/tengig/state.h:145:5 @[ firmware/tengig/main.c:96:48 ]
	#APP
	#NO_APP
	sw	$2, 132($fp)                    # 4-byte Folded Spill
	lw	$1, 132($fp)                    # 4-byte Folded Reload
	sw	$1, 184($fp)
	.loc	4 146 12                        # firmware/include/tengig/state.h:146:12 @[ firmware/tengig/main.c:96:48 ]
	lw	$1, 184($fp)
	sw	$1, 136($fp)                    # 4-byte Folded Spill
	move	$2, $1
	sw	$2, 140($fp)                    # 4-byte Folded Spill
$tmp44:
	.loc	2 96 53                         # firmware/tengig/main.c:96:53
	andi	$2, $1, 3
	sw	$2, 144($fp)                    # 4-byte Folded Spill
	beqz	$1, $BB4_11
	nop
# %bb.8:
	j	$BB4_9
	nop
$BB4_9:
	lw	$1, 144($fp)                    # 4-byte Folded Reload
	beqz	$1, $BB4_12
	nop
# %bb.10:
	j	$BB4_11
	nop
$BB4_11:
	lw	$5, 136($fp)                    # 4-byte Folded Reload
	lui	$1, %hi($__unnamed_35)
	addiu	$4, $1, %lo($__unnamed_35)
	jal	__ubsan_handle_type_mismatch_v1
	nop
	j	$BB4_12
	nop
$BB4_12:
	lw	$1, 140($fp)                    # 4-byte Folded Reload
	move	$2, $1
	sw	$2, 116($fp)                    # 4-byte Folded Spill
	.loc	2 96 63 is_stmt 0               # firmware/tengig/main.c:96:63
	move	$2, $1
	sw	$2, 120($fp)                    # 4-byte Folded Spill
	andi	$2, $1, 3
	sw	$2, 124($fp)                    # 4-byte Folded Spill
	beqz	$1, $BB4_16
	nop
# %bb.13:
	j	$BB4_14
	nop
$BB4_14:
	lw	$1, 124($fp)                    # 4-byte Folded Reload
	beqz	$1, $BB4_17
	nop
# %bb.15:
	j	$BB4_16
	nop
$BB4_16:
	lw	$5, 120($fp)                    # 4-byte Folded Reload
	lui	$1, %hi($__unnamed_36)
	addiu	$4, $1, %lo($__unnamed_36)
	jal	__ubsan_handle_type_mismatch_v1
	nop
	j	$BB4_17
	nop
$BB4_17:
	lw	$4, 128($fp)                    # 4-byte Folded Reload
	lw	$1, 116($fp)                    # 4-byte Folded Reload
	addiu	$5, $1, 20
	addiu	$6, $zero, 4
	addiu	$7, $fp, 168
	.loc	2 96 18                         # firmware/tengig/main.c:96:18
	jal	claim
	nop
	.loc	2 96 16                         # firmware/tengig/main.c:96:16
	sw	$2, 164($fp)
	.loc	2 95 31 is_stmt 1               # firmware/tengig/main.c:95:31
	beqz	$2, $BB4_20
	nop
# %bb.18:
	j	$BB4_19
	nop
$BB4_19:
$tmp45:
	.loc	2 97 24                         # firmware/tengig/main.c:97:24
	lw	$4, 168($fp)
	.loc	2 97 39 is_stmt 0               # firmware/tengig/main.c:97:39
	lw	$1, 164($fp)
	.loc	2 97 37                         # firmware/tengig/main.c:97:37
	addu	$5, $4, $1
	.loc	2 97 9                          # firmware/tengig/main.c:97:9
	jal	receive_frames
	nop
	addiu	$1, $zero, 1
	.loc	2 98 17 is_stmt 1               # firmware/tengig/main.c:98:17
	sb	$1, 175($fp)
	.loc	2 99 5                          # firmware/tengig/main.c:99:5
	j	$BB4_20
	nop
$tmp46:
$BB4_20:
	.loc	2 100 9                         # firmware/tengig/main.c:100:9
	jal	writes_can_be_published
	nop
	beqz	$2, $BB4_26
	nop
# %bb.21:
	j	$BB4_22
	nop
$BB4_22:
	.loc	2 101 20                        # firmware/tengig/main.c:101:20
	jal	publish_writes
	nop
	sw	$2, 108($fp)                    # 4-byte Folded Spill
	.loc	2 101 17 is_stmt 0              # firmware/tengig/main.c:101:17
	lbu	$1, 175($fp)
	sw	$1, 112($fp)                    # 4-byte Folded Spill
	sltiu	$1, $1, 2
	bnez	$1, $BB4_25
	nop
# %bb.23:
	j	$BB4_24
	nop
$BB4_24:
	lw	$1, 112($fp)                    # 4-byte Folded Reload
	andi	$5, $1, 255
	lui	$1, %hi($__unnamed_37)
	addiu	$4, $1, %lo($__unnamed_37)
	jal	__ubsan_handle_load_invalid_value
	nop
	j	$BB4_25
	nop
$BB4_25:
	lw	$2, 108($fp)                    # 4-byte Folded Reload
	lw	$1, 112($fp)                    # 4-byte Folded Reload
	andi	$1, $1, 1
	or	$1, $1, $2
	sltu	$1, $zero, $1
	sb	$1, 175($fp)
	.loc	2 101 9                         # firmware/tengig/main.c:101:9
	j	$BB4_26
	nop
$tmp47:
$BB4_26:
	.loc	2 102 9 is_stmt 1               # firmware/tengig/main.c:102:9
	jal	writes_are_done
	nop
	.loc	2 102 27 is_stmt 0              # firmware/tengig/main.c:102:27
	beqz	$2, $BB4_51
	nop
# %bb.27:
	j	$BB4_28
	nop
$BB4_28:
	.loc	2 0 27                          # firmware/tengig/main.c:0:27
	addiu	$2, $zero, 64
$tmp48:
	.loc	4 145 5 is_stmt 1               # firmware/include/tengig/state.h:145:5 @[ firmware/tengig/main.c:103:25 ]
	#APP
	#NO_APP
	sw	$2, 92($fp)                     # 4-byte Folded Spill
	lw	$1, 92($fp)                     # 4-byte Folded Reload
	sw	$1, 180($fp)
	.loc	4 146 12                        # firmware/include/tengig/state.h:146:12 @[ firmware/tengig/main.c:103:25 ]
	lw	$1, 180($fp)
	sw	$1, 96($fp)                     # 4-byte Folded Spill
	move	$2, $1
	sw	$2, 100($fp)                    # 4-byte Folded Spill
$tmp49:
	.loc	2 103 30                        # firmware/tengig/main.c:103:30
	andi	$2, $1, 3
	sw	$2, 104($fp)                    # 4-byte Folded Spill
	beqz	$1, $BB4_32
	nop
# %bb.29:
	j	$BB4_30
	nop
$BB4_30:
	lw	$1, 104($fp)                    # 4-byte Folded Reload
	beqz	$1, $BB4_33
	nop
# %bb.31:
	j	$BB4_32
	nop
$BB4_32:
	lw	$5, 96($fp)                     # 4-byte Folded Reload
	lui	$1, %hi($__unnamed_38)
	addiu	$4, $1, %lo($__unnamed_38)
	jal	__ubsan_handle_type_mismatch_v1
	nop
	j	$BB4_33
	nop
$BB4_33:
	lw	$1, 100($fp)                    # 4-byte Folded Reload
	addiu	$1, $1, 1480
	sw	$1, 80($fp)                     # 4-byte Folded Spill
	move	$2, $1
	sw	$2, 84($fp)                     # 4-byte Folded Spill
	.loc	2 103 37 is_stmt 0              # firmware/tengig/main.c:103:37
	andi	$2, $1, 3
	sw	$2, 88($fp)                     # 4-byte Folded Spill
	beqz	$1, $BB4_37
	nop
# %bb.34:
	j	$BB4_35
	nop
$BB4_35:
	lw	$1, 88($fp)                     # 4-byte Folded Reload
	beqz	$1, $BB4_38
	nop
# %bb.36:
	j	$BB4_37
	nop
$BB4_37:
	lw	$5, 80($fp)                     # 4-byte Folded Reload
	lui	$1, %hi($__unnamed_39)
	addiu	$4, $1, %lo($__unnamed_39)
	jal	__ubsan_handle_type_mismatch_v1
	nop
	j	$BB4_38
	nop
$BB4_38:
	lw	$1, 84($fp)                     # 4-byte Folded Reload
	addiu	$1, $1, 16
	sw	$1, 60($fp)                     # 4-byte Folded Spill
	addiu	$2, $zero, 64
$tmp50:
	.loc	4 145 5 is_stmt 1               # firmware/include/tengig/state.h:145:5 @[ firmware/tengig/main.c:103:47 ]
	#APP
	#NO_APP
	sw	$2, 64($fp)                     # 4-byte Folded Spill
	lw	$1, 64($fp)                     # 4-byte Folded Reload
	sw	$1, 176($fp)
	.loc	4 146 12                        # firmware/include/tengig/state.h:146:12 @[ firmware/tengig/main.c:103:47 ]
	lw	$1, 176($fp)
	sw	$1, 68($fp)                     # 4-byte Folded Spill
	move	$2, $1
	sw	$2, 72($fp)                     # 4-byte Folded Spill
$tmp51:
	.loc	2 103 52                        # firmware/tengig/main.c:103:52
	andi	$2, $1, 3
	sw	$2, 76($fp)                     # 4-byte Folded Spill
	beqz	$1, $BB4_42
	nop
# %bb.39:
	j	$BB4_40
	nop
$BB4_40:
	lw	$1, 76($fp)                     # 4-byte Folded Reload
	beqz	$1, $BB4_43
	nop
# %bb.41:
	j	$BB4_42
	nop
$BB4_42:
	lw	$5, 68($fp)                     # 4-byte Folded Reload
	lui	$1, %hi($__unnamed_40)
	addiu	$4, $1, %lo($__unnamed_40)
	jal	__ubsan_handle_type_mismatch_v1
	nop
	j	$BB4_43
	nop
$BB4_43:
	lw	$1, 72($fp)                     # 4-byte Folded Reload
	move	$2, $1
	sw	$2, 48($fp)                     # 4-byte Folded Spill
	.loc	2 103 62 is_stmt 0              # firmware/tengig/main.c:103:62
	move	$2, $1
	sw	$2, 52($fp)                     # 4-byte Folded Spill
	andi	$2, $1, 3
	sw	$2, 56($fp)                     # 4-byte Folded Spill
	beqz	$1, $BB4_47
	nop
# %bb.44:
	j	$BB4_45
	nop
$BB4_45:
	lw	$1, 56($fp)                     # 4-byte Folded Reload
	beqz	$1, $BB4_48
	nop
# %bb.46:
	j	$BB4_47
	nop
$BB4_47:
	lw	$5, 52($fp)                     # 4-byte Folded Reload
	lui	$1, %hi($__unnamed_41)
	addiu	$4, $1, %lo($__unnamed_41)
	jal	__ubsan_handle_type_mismatch_v1
	nop
	j	$BB4_48
	nop
$BB4_48:
	lw	$4, 60($fp)                     # 4-byte Folded Reload
	lw	$1, 48($fp)                     # 4-byte Folded Reload
	addiu	$5, $1, 12
	addiu	$6, $zero, 16
	addiu	$7, $fp, 168
	.loc	2 103 18                        # firmware/tengig/main.c:103:18
	jal	claim
	nop
	.loc	2 103 16                        # firmware/tengig/main.c:103:16
	sw	$2, 164($fp)
	.loc	2 102 27 is_stmt 1              # firmware/tengig/main.c:102:27
	beqz	$2, $BB4_51
	nop
# %bb.49:
	j	$BB4_50
	nop
$BB4_50:
$tmp52:
	.loc	2 104 27                        # firmware/tengig/main.c:104:27
	lw	$4, 168($fp)
	.loc	2 104 42 is_stmt 0              # firmware/tengig/main.c:104:42
	lw	$1, 164($fp)
	.loc	2 104 40                        # firmware/tengig/main.c:104:40
	addu	$5, $4, $1
	.loc	2 104 9                         # firmware/tengig/main.c:104:9
	jal	handle_dma_writes
	nop
	addiu	$1, $zero, 1
	.loc	2 105 17 is_stmt 1              # firmware/tengig/main.c:105:17
	sb	$1, 175($fp)
	.loc	2 106 5                         # firmware/tengig/main.c:106:5
	j	$BB4_51
	nop
$tmp53:
$BB4_51:
	.loc	2 107 9                         # firmware/tengig/main.c:107:9
	jal	received_can_be_returned
	nop
	beqz	$2, $BB4_57
	nop
# %bb.52:
	j	$BB4_53
	nop
$BB4_53:
	.loc	2 108 20                        # firmware/tengig/main.c:108:20
	jal	commit_received
	nop
	sw	$2, 40($fp)                     # 4-byte Folded Spill
	.loc	2 108 17 is_stmt 0              # firmware/tengig/main.c:108:17
	lbu	$1, 175($fp)
	sw	$1, 44($fp)                     # 4-byte Folded Spill
	sltiu	$1, $1, 2
	bnez	$1, $BB4_56
	nop
# %bb.54:
	j	$BB4_55
	nop
$BB4_55:
	lw	$1, 44($fp)                     # 4-byte Folded Reload
	andi	$5, $1, 255
	lui	$1, %hi($__unnamed_42)
	addiu	$4, $1, %lo($__unnamed_42)
	jal	__ubsan_handle_load_invalid_value
	nop
	j	$BB4_56
	nop
$BB4_56:
	lw	$2, 40($fp)                     # 4-byte Folded Reload
	lw	$1, 44($fp)                     # 4-byte Folded Reload
	andi	$1, $1, 1
	or	$1, $1, $2
	sltu	$1, $zero, $1
	sb	$1, 175($fp)
	.loc	2 108 9                         # firmware/tengig/main.c:108:9
	j	$BB4_57
	nop
$tmp54:
$BB4_57:
	.loc	2 109 9 is_stmt 1               # firmware/tengig/main.c:109:9
	jal	receive_bds_can_be_fetched
	nop
	beqz	$2, $BB4_63
	nop
# %bb.58:
	j	$BB4_59
	nop
$BB4_59:
	.loc	2 110 20                        # firmware/tengig/main.c:110:20
	jal	fetch_receive_bds
	nop
	sw	$2, 32($fp)                     # 4-byte Folded Spill
	.loc	2 110 17 is_stmt 0              # firmware/tengig/main.c:110:17
	lbu	$1, 175($fp)
	sw	$1, 36($fp)                     # 4-byte Folded Spill
	sltiu	$1, $1, 2
	bnez	$1, $BB4_62
	nop
# %bb.60:
	j	$BB4_61
	nop
$BB4_61:
	lw	$1, 36($fp)                     # 4-byte Folded Reload
	andi	$5, $1, 255
	lui	$1, %hi($__unnamed_43)
	addiu	$4, $1, %lo($__unnamed_43)
	jal	__ubsan_handle_load_invalid_value
	nop
	j	$BB4_62
	nop
$BB4_62:
	lw	$2, 32($fp)                     # 4-byte Folded Reload
	lw	$1, 36($fp)                     # 4-byte Folded Reload
	andi	$1, $1, 1
	or	$1, $1, $2
	sltu	$1, $zero, $1
	sb	$1, 175($fp)
	.loc	2 110 9                         # firmware/tengig/main.c:110:9
	j	$BB4_63
	nop
$tmp55:
$BB4_63:
	.loc	2 111 9 is_stmt 1               # firmware/tengig/main.c:111:9
	jal	event_is_waiting
	nop
	beqz	$2, $BB4_69
	nop
# %bb.64:
	j	$BB4_65
	nop
$BB4_65:
	.loc	2 112 20                        # firmware/tengig/main.c:112:20
	jal	event_handle
	nop
	sw	$2, 24($fp)                     # 4-byte Folded Spill
	.loc	2 112 17 is_stmt 0              # firmware/tengig/main.c:112:17
	lbu	$1, 175($fp)
	sw	$1, 28($fp)                     # 4-byte Folded Spill
	sltiu	$1, $1, 2
	bnez	$1, $BB4_68
	nop
# %bb.66:
	j	$BB4_67
	nop
$BB4_67:
	lw	$1, 28($fp)                     # 4-byte Folded Reload
	andi	$5, $1, 255
	lui	$1, %hi($__unnamed_44)
	addiu	$4, $1, %lo($__unnamed_44)
	jal	__ubsan_handle_load_invalid_value
	nop
	j	$BB4_68
	nop
$BB4_68:
	lw	$2, 24($fp)                     # 4-byte Folded Reload
	lw	$1, 28($fp)                     # 4-byte Folded Reload
	andi	$1, $1, 1
	or	$1, $1, $2
	sltu	$1, $zero, $1
	sb	$1, 175($fp)
	.loc	2 112 9                         # firmware/tengig/main.c:112:9
	j	$BB4_69
	nop
$tmp56:
$BB4_69:
	.loc	2 113 12 is_stmt 1              # firmware/tengig/main.c:113:12
	lbu	$1, 175($fp)
	sw	$1, 20($fp)                     # 4-byte Folded Spill
	sltiu	$1, $1, 2
	bnez	$1, $BB4_72
	nop
# %bb.70:
	j	$BB4_71
	nop
$BB4_71:
	lw	$1, 20($fp)                     # 4-byte Folded Reload
	andi	$5, $1, 255
	lui	$1, %hi($__unnamed_45)
	addiu	$4, $1, %lo($__unnamed_45)
	jal	__ubsan_handle_load_invalid_value
	nop
	j	$BB4_72
	nop
$BB4_72:
	.loc	2 113 5 is_stmt 0               # firmware/tengig/main.c:113:5
	lw	$1, 20($fp)                     # 4-byte Folded Reload
	andi	$2, $1, 1
	move	$sp, $fp
	lw	$fp, 192($sp)                   # 4-byte Folded Reload
	lw	$ra, 196($sp)                   # 4-byte Folded Reload
	addiu	$sp, $sp, 200
	jr	$ra
	nop
$tmp57:
	.set	at
	.set	macro
	.set	reorder
	.end	receive_pass
$func_end4:
	.size	receive_pass, $func_end4-receive_pass
	.cfi_endproc
                                        # -- End function
	.section	.text.task.idle,"ax",@progbits
	.p2align	2                               # -- Begin function wait_for_work
	.type	wait_for_work,@function
	.set	nomicromips
	.set	nomips16
	.ent	wait_for_work
wait_for_work:                          # @wait_for_work
$tmp58:
$func_begin5 = $tmp58
	.loc	2 118 0 is_stmt 1               # firmware/tengig/main.c:118:0
	.cfi_startproc
	.frame	$fp,80,$ra
	.mask 	0xc0000000,-4
	.fmask	0x00000000,0
	.set	noreorder
	.set	nomacro
	.set	noat
# %bb.0:
	addiu	$sp, $sp, -80
	.cfi_def_cfa_offset 80
	sw	$ra, 76($sp)                    # 4-byte Folded Spill
	sw	$fp, 72($sp)                    # 4-byte Folded Spill
	.cfi_offset 31, -4
	.cfi_offset 30, -8
	move	$fp, $sp
	.cfi_def_cfa_register 30
$tmp59:
	.loc	2 119 5 prologue_end            # firmware/tengig/main.c:119:5
	j	$BB5_1
	nop
$BB5_1:                                 # =>This Inner Loop Header: Depth=1
	.loc	2 0 5 is_stmt 0                 # firmware/tengig/main.c:0:5
	addiu	$1, $zero, 1
	sw	$1, 64($fp)                     # 4-byte Folded Spill
	.loc	2 119 14                        # firmware/tengig/main.c:119:14
	jal	frames_have_arrived
	nop
	lw	$1, 64($fp)                     # 4-byte Folded Reload
	sw	$1, 68($fp)                     # 4-byte Folded Spill
	.loc	2 119 36                        # firmware/tengig/main.c:119:36
	bnez	$2, $BB5_26
	nop
# %bb.2:                                #   in Loop: Header=BB5_1 Depth=1
	j	$BB5_3
	nop
$BB5_3:                                 #   in Loop: Header=BB5_1 Depth=1
	.loc	2 0 36                          # firmware/tengig/main.c:0:36
	addiu	$1, $zero, 1
	sw	$1, 60($fp)                     # 4-byte Folded Spill
	.loc	2 119 39                        # firmware/tengig/main.c:119:39
	jal	event_is_waiting
	nop
	lw	$1, 60($fp)                     # 4-byte Folded Reload
	sw	$1, 68($fp)                     # 4-byte Folded Spill
	.loc	2 119 58                        # firmware/tengig/main.c:119:58
	bnez	$2, $BB5_26
	nop
# %bb.4:                                #   in Loop: Header=BB5_1 Depth=1
	j	$BB5_5
	nop
$BB5_5:                                 #   in Loop: Header=BB5_1 Depth=1
	.loc	2 0 58                          # firmware/tengig/main.c:0:58
	addiu	$1, $zero, 1
	sw	$1, 56($fp)                     # 4-byte Folded Spill
	.loc	2 119 61                        # firmware/tengig/main.c:119:61
	jal	reads_are_done
	nop
	lw	$1, 56($fp)                     # 4-byte Folded Reload
	sw	$1, 68($fp)                     # 4-byte Folded Spill
	.loc	2 119 78                        # firmware/tengig/main.c:119:78
	bnez	$2, $BB5_26
	nop
# %bb.6:                                #   in Loop: Header=BB5_1 Depth=1
	j	$BB5_7
	nop
$BB5_7:                                 #   in Loop: Header=BB5_1 Depth=1
	.loc	2 0 78                          # firmware/tengig/main.c:0:78
	addiu	$1, $zero, 1
	sw	$1, 52($fp)                     # 4-byte Folded Spill
	.loc	2 119 81                        # firmware/tengig/main.c:119:81
	jal	writes_are_done
	nop
	lw	$1, 52($fp)                     # 4-byte Folded Reload
	sw	$1, 68($fp)                     # 4-byte Folded Spill
	.loc	2 119 99                        # firmware/tengig/main.c:119:99
	bnez	$2, $BB5_26
	nop
# %bb.8:                                #   in Loop: Header=BB5_1 Depth=1
	j	$BB5_9
	nop
$BB5_9:                                 #   in Loop: Header=BB5_1 Depth=1
	.loc	2 0 99                          # firmware/tengig/main.c:0:99
	addiu	$1, $zero, 1
	sw	$1, 48($fp)                     # 4-byte Folded Spill
	.loc	2 119 102                       # firmware/tengig/main.c:119:102
	jal	frames_can_be_committed
	nop
	lw	$1, 48($fp)                     # 4-byte Folded Reload
	sw	$1, 68($fp)                     # 4-byte Folded Spill
	.loc	2 119 128                       # firmware/tengig/main.c:119:128
	bnez	$2, $BB5_26
	nop
# %bb.10:                               #   in Loop: Header=BB5_1 Depth=1
	j	$BB5_11
	nop
$BB5_11:                                #   in Loop: Header=BB5_1 Depth=1
	.loc	2 0 128                         # firmware/tengig/main.c:0:128
	addiu	$1, $zero, 1
	sw	$1, 44($fp)                     # 4-byte Folded Spill
	.loc	2 120 14 is_stmt 1              # firmware/tengig/main.c:120:14
	jal	frames_can_be_fetched
	nop
	lw	$1, 44($fp)                     # 4-byte Folded Reload
	sw	$1, 68($fp)                     # 4-byte Folded Spill
	.loc	2 120 38 is_stmt 0              # firmware/tengig/main.c:120:38
	bnez	$2, $BB5_26
	nop
# %bb.12:                               #   in Loop: Header=BB5_1 Depth=1
	j	$BB5_13
	nop
$BB5_13:                                #   in Loop: Header=BB5_1 Depth=1
	.loc	2 0 38                          # firmware/tengig/main.c:0:38
	addiu	$1, $zero, 1
	sw	$1, 40($fp)                     # 4-byte Folded Spill
	.loc	2 120 41                        # firmware/tengig/main.c:120:41
	jal	transmits_can_be_retired
	nop
	lw	$1, 40($fp)                     # 4-byte Folded Reload
	sw	$1, 68($fp)                     # 4-byte Folded Spill
	.loc	2 120 68                        # firmware/tengig/main.c:120:68
	bnez	$2, $BB5_26
	nop
# %bb.14:                               #   in Loop: Header=BB5_1 Depth=1
	j	$BB5_15
	nop
$BB5_15:                                #   in Loop: Header=BB5_1 Depth=1
	.loc	2 0 68                          # firmware/tengig/main.c:0:68
	addiu	$1, $zero, 1
	sw	$1, 36($fp)                     # 4-byte Folded Spill
	.loc	2 120 71                        # firmware/tengig/main.c:120:71
	jal	writes_can_be_published
	nop
	lw	$1, 36($fp)                     # 4-byte Folded Reload
	sw	$1, 68($fp)                     # 4-byte Folded Spill
	.loc	2 120 97                        # firmware/tengig/main.c:120:97
	bnez	$2, $BB5_26
	nop
# %bb.16:                               #   in Loop: Header=BB5_1 Depth=1
	j	$BB5_17
	nop
$BB5_17:                                #   in Loop: Header=BB5_1 Depth=1
	.loc	2 0 97                          # firmware/tengig/main.c:0:97
	addiu	$1, $zero, 1
	sw	$1, 32($fp)                     # 4-byte Folded Spill
	.loc	2 120 100                       # firmware/tengig/main.c:120:100
	jal	received_can_be_returned
	nop
	lw	$1, 32($fp)                     # 4-byte Folded Reload
	sw	$1, 68($fp)                     # 4-byte Folded Spill
	.loc	2 120 127                       # firmware/tengig/main.c:120:127
	bnez	$2, $BB5_26
	nop
# %bb.18:                               #   in Loop: Header=BB5_1 Depth=1
	j	$BB5_19
	nop
$BB5_19:                                #   in Loop: Header=BB5_1 Depth=1
	.loc	2 0 127                         # firmware/tengig/main.c:0:127
	addiu	$1, $zero, 1
	sw	$1, 28($fp)                     # 4-byte Folded Spill
	.loc	2 121 14 is_stmt 1              # firmware/tengig/main.c:121:14
	jal	reads_can_be_published
	nop
	lw	$1, 28($fp)                     # 4-byte Folded Reload
	sw	$1, 68($fp)                     # 4-byte Folded Spill
	.loc	2 121 39 is_stmt 0              # firmware/tengig/main.c:121:39
	bnez	$2, $BB5_26
	nop
# %bb.20:                               #   in Loop: Header=BB5_1 Depth=1
	j	$BB5_21
	nop
$BB5_21:                                #   in Loop: Header=BB5_1 Depth=1
	.loc	2 0 39                          # firmware/tengig/main.c:0:39
	addiu	$1, $zero, 1
	sw	$1, 24($fp)                     # 4-byte Folded Spill
	.loc	2 121 42                        # firmware/tengig/main.c:121:42
	jal	send_bds_can_be_fetched
	nop
	lw	$1, 24($fp)                     # 4-byte Folded Reload
	sw	$1, 68($fp)                     # 4-byte Folded Spill
	.loc	2 121 68                        # firmware/tengig/main.c:121:68
	bnez	$2, $BB5_26
	nop
# %bb.22:                               #   in Loop: Header=BB5_1 Depth=1
	j	$BB5_23
	nop
$BB5_23:                                #   in Loop: Header=BB5_1 Depth=1
	.loc	2 0 68                          # firmware/tengig/main.c:0:68
	addiu	$1, $zero, 1
	sw	$1, 20($fp)                     # 4-byte Folded Spill
	.loc	2 121 71                        # firmware/tengig/main.c:121:71
	jal	receive_bds_can_be_fetched
	nop
	lw	$1, 20($fp)                     # 4-byte Folded Reload
	sw	$1, 68($fp)                     # 4-byte Folded Spill
	.loc	2 121 100                       # firmware/tengig/main.c:121:100
	bnez	$2, $BB5_26
	nop
# %bb.24:                               #   in Loop: Header=BB5_1 Depth=1
	j	$BB5_25
	nop
$BB5_25:                                #   in Loop: Header=BB5_1 Depth=1
	.loc	2 121 103                       # firmware/tengig/main.c:121:103
	jal	status_is_due
	nop
	sw	$2, 68($fp)                     # 4-byte Folded Spill
	.loc	2 121 100                       # firmware/tengig/main.c:121:100
	j	$BB5_26
	nop
$BB5_26:                                #   in Loop: Header=BB5_1 Depth=1
	.loc	2 0 100                         # firmware/tengig/main.c:0:100
	lw	$1, 68($fp)                     # 4-byte Folded Reload
	.loc	2 119 12 is_stmt 1              # firmware/tengig/main.c:119:12
	andi	$1, $1, 1
	.loc	2 119 5 is_stmt 0               # firmware/tengig/main.c:119:5
	bnez	$1, $BB5_29
	nop
# %bb.27:                               #   in Loop: Header=BB5_1 Depth=1
	j	$BB5_28
	nop
$BB5_28:                                #   in Loop: Header=BB5_1 Depth=1
	j	$BB5_1
	nop
$BB5_29:
	.loc	2 123 1 is_stmt 1               # firmware/tengig/main.c:123:1
	move	$sp, $fp
	lw	$fp, 72($sp)                    # 4-byte Folded Reload
	lw	$ra, 76($sp)                    # 4-byte Folded Reload
	addiu	$sp, $sp, 80
	jr	$ra
	nop
$tmp60:
	.set	at
	.set	macro
	.set	reorder
	.end	wait_for_work
$func_end5:
	.size	wait_for_work, $func_end5-wait_for_work
	.cfi_endproc
                                        # -- End function
	.text
	.p2align	2                               # -- Begin function start_counters
	.type	start_counters,@function
	.set	nomicromips
	.set	nomips16
	.ent	start_counters
start_counters:                         # @start_counters
$tmp61:
$func_begin6 = $tmp61
	.loc	2 127 0                         # firmware/tengig/main.c:127:0
	.cfi_startproc
	.frame	$fp,1016,$ra
	.mask 	0xc0000000,-4
	.fmask	0x00000000,0
	.set	noreorder
	.set	nomacro
	.set	noat
# %bb.0:
	addiu	$sp, $sp, -1016
	.cfi_def_cfa_offset 1016
	sw	$ra, 1012($sp)                  # 4-byte Folded Spill
	sw	$fp, 1008($sp)                  # 4-byte Folded Spill
	.cfi_offset 31, -4
	.cfi_offset 30, -8
	move	$fp, $sp
	.cfi_def_cfa_register 30
	sw	$4, 892($fp)
	addiu	$2, $zero, 64
$tmp62:
	.loc	4 145 5 prologue_end            # firmware/include/tengig/state.h:145:5 @[ firmware/tengig/main.c:128:36 ]
	#APP
	#NO_APP
	sw	$2, 744($fp)                    # 4-byte Folded Spill
	lw	$1, 744($fp)                    # 4-byte Folded Reload
	sw	$1, 1004($fp)
	.loc	4 146 12                        # firmware/include/tengig/state.h:146:12 @[ firmware/tengig/main.c:128:36 ]
	lw	$1, 1004($fp)
	sw	$1, 748($fp)                    # 4-byte Folded Spill
	move	$2, $1
	sw	$2, 752($fp)                    # 4-byte Folded Spill
$tmp63:
	.loc	2 128 41                        # firmware/tengig/main.c:128:41
	andi	$2, $1, 3
	sw	$2, 756($fp)                    # 4-byte Folded Spill
	beqz	$1, $BB6_4
	nop
# %bb.1:
	j	$BB6_2
	nop
$BB6_2:
	lw	$1, 756($fp)                    # 4-byte Folded Reload
	beqz	$1, $BB6_5
	nop
# %bb.3:
	j	$BB6_4
	nop
$BB6_4:
	lw	$5, 748($fp)                    # 4-byte Folded Reload
	lui	$1, %hi($__unnamed_46)
	addiu	$4, $1, %lo($__unnamed_46)
	jal	__ubsan_handle_type_mismatch_v1
	nop
	j	$BB6_5
	nop
$BB6_5:
	.loc	2 128 23 is_stmt 0              # firmware/tengig/main.c:128:23
	lw	$1, 752($fp)                    # 4-byte Folded Reload
	sw	$1, 888($fp)
	.loc	2 130 10 is_stmt 1              # firmware/tengig/main.c:130:10
	lw	$1, 888($fp)
	sw	$1, 732($fp)                    # 4-byte Folded Spill
	move	$2, $1
	sw	$2, 736($fp)                    # 4-byte Folded Spill
	.loc	2 130 21 is_stmt 0              # firmware/tengig/main.c:130:21
	andi	$2, $1, 3
	sw	$2, 740($fp)                    # 4-byte Folded Spill
	beqz	$1, $BB6_9
	nop
# %bb.6:
	j	$BB6_7
	nop
$BB6_7:
	lw	$1, 740($fp)                    # 4-byte Folded Reload
	beqz	$1, $BB6_10
	nop
# %bb.8:
	j	$BB6_9
	nop
$BB6_9:
	lw	$5, 732($fp)                    # 4-byte Folded Reload
	lui	$1, %hi($__unnamed_47)
	addiu	$4, $1, %lo($__unnamed_47)
	jal	__ubsan_handle_type_mismatch_v1
	nop
	j	$BB6_10
	nop
$BB6_10:
	lw	$1, 736($fp)                    # 4-byte Folded Reload
	addiu	$1, $1, 8
	.loc	2 129 37 is_stmt 1              # firmware/tengig/main.c:129:37
	sw	$1, 764($fp)
	addiu	$1, $fp, 764
	addiu	$1, $1, 4
	sw	$1, 716($fp)                    # 4-byte Folded Spill
	.loc	2 130 38                        # firmware/tengig/main.c:130:38
	lw	$1, 888($fp)
	sw	$1, 720($fp)                    # 4-byte Folded Spill
	move	$2, $1
	sw	$2, 724($fp)                    # 4-byte Folded Spill
	.loc	2 130 49 is_stmt 0              # firmware/tengig/main.c:130:49
	andi	$2, $1, 3
	sw	$2, 728($fp)                    # 4-byte Folded Spill
	beqz	$1, $BB6_14
	nop
# %bb.11:
	j	$BB6_12
	nop
$BB6_12:
	lw	$1, 728($fp)                    # 4-byte Folded Reload
	beqz	$1, $BB6_15
	nop
# %bb.13:
	j	$BB6_14
	nop
$BB6_14:
	lw	$5, 720($fp)                    # 4-byte Folded Reload
	lui	$1, %hi($__unnamed_48)
	addiu	$4, $1, %lo($__unnamed_48)
	jal	__ubsan_handle_type_mismatch_v1
	nop
	j	$BB6_15
	nop
$BB6_15:
	lw	$2, 716($fp)                    # 4-byte Folded Reload
	lw	$1, 724($fp)                    # 4-byte Folded Reload
	addiu	$1, $1, 12
	.loc	2 129 37 is_stmt 1              # firmware/tengig/main.c:129:37
	sw	$1, 0($2)
	addiu	$1, $fp, 764
	addiu	$1, $1, 8
	sw	$1, 700($fp)                    # 4-byte Folded Spill
	.loc	2 130 67                        # firmware/tengig/main.c:130:67
	lw	$1, 888($fp)
	sw	$1, 704($fp)                    # 4-byte Folded Spill
	move	$2, $1
	sw	$2, 708($fp)                    # 4-byte Folded Spill
	.loc	2 130 78 is_stmt 0              # firmware/tengig/main.c:130:78
	andi	$2, $1, 3
	sw	$2, 712($fp)                    # 4-byte Folded Spill
	beqz	$1, $BB6_19
	nop
# %bb.16:
	j	$BB6_17
	nop
$BB6_17:
	lw	$1, 712($fp)                    # 4-byte Folded Reload
	beqz	$1, $BB6_20
	nop
# %bb.18:
	j	$BB6_19
	nop
$BB6_19:
	lw	$5, 704($fp)                    # 4-byte Folded Reload
	lui	$1, %hi($__unnamed_49)
	addiu	$4, $1, %lo($__unnamed_49)
	jal	__ubsan_handle_type_mismatch_v1
	nop
	j	$BB6_20
	nop
$BB6_20:
	lw	$2, 700($fp)                    # 4-byte Folded Reload
	lw	$1, 708($fp)                    # 4-byte Folded Reload
	addiu	$1, $1, 16
	.loc	2 129 37 is_stmt 1              # firmware/tengig/main.c:129:37
	sw	$1, 0($2)
	addiu	$1, $fp, 764
	addiu	$1, $1, 12
	sw	$1, 684($fp)                    # 4-byte Folded Spill
	.loc	2 130 99                        # firmware/tengig/main.c:130:99
	lw	$1, 888($fp)
	sw	$1, 688($fp)                    # 4-byte Folded Spill
	move	$2, $1
	sw	$2, 692($fp)                    # 4-byte Folded Spill
	.loc	2 130 110 is_stmt 0             # firmware/tengig/main.c:130:110
	andi	$2, $1, 3
	sw	$2, 696($fp)                    # 4-byte Folded Spill
	beqz	$1, $BB6_24
	nop
# %bb.21:
	j	$BB6_22
	nop
$BB6_22:
	lw	$1, 696($fp)                    # 4-byte Folded Reload
	beqz	$1, $BB6_25
	nop
# %bb.23:
	j	$BB6_24
	nop
$BB6_24:
	lw	$5, 688($fp)                    # 4-byte Folded Reload
	lui	$1, %hi($__unnamed_50)
	addiu	$4, $1, %lo($__unnamed_50)
	jal	__ubsan_handle_type_mismatch_v1
	nop
	j	$BB6_25
	nop
$BB6_25:
	lw	$2, 684($fp)                    # 4-byte Folded Reload
	lw	$1, 692($fp)                    # 4-byte Folded Reload
	addiu	$1, $1, 20
	.loc	2 129 37 is_stmt 1              # firmware/tengig/main.c:129:37
	sw	$1, 0($2)
	addiu	$1, $fp, 764
	addiu	$1, $1, 16
	sw	$1, 664($fp)                    # 4-byte Folded Spill
	addiu	$2, $zero, 64
$tmp64:
	.loc	4 145 5                         # firmware/include/tengig/state.h:145:5 @[ firmware/tengig/main.c:131:10 ]
	#APP
	#NO_APP
	sw	$2, 668($fp)                    # 4-byte Folded Spill
	lw	$1, 668($fp)                    # 4-byte Folded Reload
	sw	$1, 1000($fp)
	.loc	4 146 12                        # firmware/include/tengig/state.h:146:12 @[ firmware/tengig/main.c:131:10 ]
	lw	$1, 1000($fp)
	sw	$1, 672($fp)                    # 4-byte Folded Spill
	move	$2, $1
	sw	$2, 676($fp)                    # 4-byte Folded Spill
$tmp65:
	.loc	2 131 15                        # firmware/tengig/main.c:131:15
	andi	$2, $1, 3
	sw	$2, 680($fp)                    # 4-byte Folded Spill
	beqz	$1, $BB6_29
	nop
# %bb.26:
	j	$BB6_27
	nop
$BB6_27:
	lw	$1, 680($fp)                    # 4-byte Folded Reload
	beqz	$1, $BB6_30
	nop
# %bb.28:
	j	$BB6_29
	nop
$BB6_29:
	lw	$5, 672($fp)                    # 4-byte Folded Reload
	lui	$1, %hi($__unnamed_51)
	addiu	$4, $1, %lo($__unnamed_51)
	jal	__ubsan_handle_type_mismatch_v1
	nop
	j	$BB6_30
	nop
$BB6_30:
	lw	$2, 664($fp)                    # 4-byte Folded Reload
	lw	$1, 676($fp)                    # 4-byte Folded Reload
	addiu	$1, $1, 104
	.loc	2 129 37                        # firmware/tengig/main.c:129:37
	sw	$1, 0($2)
	addiu	$1, $fp, 764
	addiu	$1, $1, 20
	sw	$1, 644($fp)                    # 4-byte Folded Spill
	addiu	$2, $zero, 64
$tmp66:
	.loc	4 145 5                         # firmware/include/tengig/state.h:145:5 @[ firmware/tengig/main.c:131:35 ]
	#APP
	#NO_APP
	sw	$2, 648($fp)                    # 4-byte Folded Spill
	lw	$1, 648($fp)                    # 4-byte Folded Reload
	sw	$1, 996($fp)
	.loc	4 146 12                        # firmware/include/tengig/state.h:146:12 @[ firmware/tengig/main.c:131:35 ]
	lw	$1, 996($fp)
	sw	$1, 652($fp)                    # 4-byte Folded Spill
	move	$2, $1
	sw	$2, 656($fp)                    # 4-byte Folded Spill
$tmp67:
	.loc	2 131 40                        # firmware/tengig/main.c:131:40
	andi	$2, $1, 3
	sw	$2, 660($fp)                    # 4-byte Folded Spill
	beqz	$1, $BB6_34
	nop
# %bb.31:
	j	$BB6_32
	nop
$BB6_32:
	lw	$1, 660($fp)                    # 4-byte Folded Reload
	beqz	$1, $BB6_35
	nop
# %bb.33:
	j	$BB6_34
	nop
$BB6_34:
	lw	$5, 652($fp)                    # 4-byte Folded Reload
	lui	$1, %hi($__unnamed_52)
	addiu	$4, $1, %lo($__unnamed_52)
	jal	__ubsan_handle_type_mismatch_v1
	nop
	j	$BB6_35
	nop
$BB6_35:
	lw	$2, 644($fp)                    # 4-byte Folded Reload
	lw	$1, 656($fp)                    # 4-byte Folded Reload
	addiu	$1, $1, 108
	.loc	2 129 37                        # firmware/tengig/main.c:129:37
	sw	$1, 0($2)
	addiu	$1, $fp, 764
	addiu	$1, $1, 24
	sw	$1, 624($fp)                    # 4-byte Folded Spill
	addiu	$2, $zero, 64
$tmp68:
	.loc	4 145 5                         # firmware/include/tengig/state.h:145:5 @[ firmware/tengig/main.c:131:56 ]
	#APP
	#NO_APP
	sw	$2, 628($fp)                    # 4-byte Folded Spill
	lw	$1, 628($fp)                    # 4-byte Folded Reload
	sw	$1, 992($fp)
	.loc	4 146 12                        # firmware/include/tengig/state.h:146:12 @[ firmware/tengig/main.c:131:56 ]
	lw	$1, 992($fp)
	sw	$1, 632($fp)                    # 4-byte Folded Spill
	move	$2, $1
	sw	$2, 636($fp)                    # 4-byte Folded Spill
$tmp69:
	.loc	2 131 61                        # firmware/tengig/main.c:131:61
	andi	$2, $1, 3
	sw	$2, 640($fp)                    # 4-byte Folded Spill
	beqz	$1, $BB6_39
	nop
# %bb.36:
	j	$BB6_37
	nop
$BB6_37:
	lw	$1, 640($fp)                    # 4-byte Folded Reload
	beqz	$1, $BB6_40
	nop
# %bb.38:
	j	$BB6_39
	nop
$BB6_39:
	lw	$5, 632($fp)                    # 4-byte Folded Reload
	lui	$1, %hi($__unnamed_53)
	addiu	$4, $1, %lo($__unnamed_53)
	jal	__ubsan_handle_type_mismatch_v1
	nop
	j	$BB6_40
	nop
$BB6_40:
	lw	$2, 624($fp)                    # 4-byte Folded Reload
	lw	$1, 636($fp)                    # 4-byte Folded Reload
	addiu	$1, $1, 112
	.loc	2 129 37                        # firmware/tengig/main.c:129:37
	sw	$1, 0($2)
	addiu	$1, $fp, 764
	addiu	$1, $1, 28
	sw	$1, 604($fp)                    # 4-byte Folded Spill
	addiu	$2, $zero, 64
$tmp70:
	.loc	4 145 5                         # firmware/include/tengig/state.h:145:5 @[ firmware/tengig/main.c:131:83 ]
	#APP
	#NO_APP
	sw	$2, 608($fp)                    # 4-byte Folded Spill
	lw	$1, 608($fp)                    # 4-byte Folded Reload
	sw	$1, 988($fp)
	.loc	4 146 12                        # firmware/include/tengig/state.h:146:12 @[ firmware/tengig/main.c:131:83 ]
	lw	$1, 988($fp)
	sw	$1, 612($fp)                    # 4-byte Folded Spill
	move	$2, $1
	sw	$2, 616($fp)                    # 4-byte Folded Spill
$tmp71:
	.loc	2 131 88                        # firmware/tengig/main.c:131:88
	andi	$2, $1, 3
	sw	$2, 620($fp)                    # 4-byte Folded Spill
	beqz	$1, $BB6_44
	nop
# %bb.41:
	j	$BB6_42
	nop
$BB6_42:
	lw	$1, 620($fp)                    # 4-byte Folded Reload
	beqz	$1, $BB6_45
	nop
# %bb.43:
	j	$BB6_44
	nop
$BB6_44:
	lw	$5, 612($fp)                    # 4-byte Folded Reload
	lui	$1, %hi($__unnamed_54)
	addiu	$4, $1, %lo($__unnamed_54)
	jal	__ubsan_handle_type_mismatch_v1
	nop
	j	$BB6_45
	nop
$BB6_45:
	lw	$2, 604($fp)                    # 4-byte Folded Reload
	lw	$1, 616($fp)                    # 4-byte Folded Reload
	addiu	$1, $1, 116
	.loc	2 129 37                        # firmware/tengig/main.c:129:37
	sw	$1, 0($2)
	addiu	$1, $fp, 764
	addiu	$1, $1, 32
	sw	$1, 584($fp)                    # 4-byte Folded Spill
	addiu	$2, $zero, 64
$tmp72:
	.loc	4 145 5                         # firmware/include/tengig/state.h:145:5 @[ firmware/tengig/main.c:131:106 ]
	#APP
	#NO_APP
	sw	$2, 588($fp)                    # 4-byte Folded Spill
	lw	$1, 588($fp)                    # 4-byte Folded Reload
	sw	$1, 984($fp)
	.loc	4 146 12                        # firmware/include/tengig/state.h:146:12 @[ firmware/tengig/main.c:131:106 ]
	lw	$1, 984($fp)
	sw	$1, 592($fp)                    # 4-byte Folded Spill
	move	$2, $1
	sw	$2, 596($fp)                    # 4-byte Folded Spill
$tmp73:
	.loc	2 131 111                       # firmware/tengig/main.c:131:111
	andi	$2, $1, 3
	sw	$2, 600($fp)                    # 4-byte Folded Spill
	beqz	$1, $BB6_49
	nop
# %bb.46:
	j	$BB6_47
	nop
$BB6_47:
	lw	$1, 600($fp)                    # 4-byte Folded Reload
	beqz	$1, $BB6_50
	nop
# %bb.48:
	j	$BB6_49
	nop
$BB6_49:
	lw	$5, 592($fp)                    # 4-byte Folded Reload
	lui	$1, %hi($__unnamed_55)
	addiu	$4, $1, %lo($__unnamed_55)
	jal	__ubsan_handle_type_mismatch_v1
	nop
	j	$BB6_50
	nop
$BB6_50:
	lw	$2, 584($fp)                    # 4-byte Folded Reload
	lw	$1, 596($fp)                    # 4-byte Folded Reload
	addiu	$1, $1, 120
	.loc	2 129 37                        # firmware/tengig/main.c:129:37
	sw	$1, 0($2)
	addiu	$1, $fp, 764
	addiu	$1, $1, 36
	sw	$1, 564($fp)                    # 4-byte Folded Spill
	addiu	$2, $zero, 64
$tmp74:
	.loc	4 145 5                         # firmware/include/tengig/state.h:145:5 @[ firmware/tengig/main.c:132:10 ]
	#APP
	#NO_APP
	sw	$2, 568($fp)                    # 4-byte Folded Spill
	lw	$1, 568($fp)                    # 4-byte Folded Reload
	sw	$1, 980($fp)
	.loc	4 146 12                        # firmware/include/tengig/state.h:146:12 @[ firmware/tengig/main.c:132:10 ]
	lw	$1, 980($fp)
	sw	$1, 572($fp)                    # 4-byte Folded Spill
	move	$2, $1
	sw	$2, 576($fp)                    # 4-byte Folded Spill
$tmp75:
	.loc	2 132 15                        # firmware/tengig/main.c:132:15
	andi	$2, $1, 3
	sw	$2, 580($fp)                    # 4-byte Folded Spill
	beqz	$1, $BB6_54
	nop
# %bb.51:
	j	$BB6_52
	nop
$BB6_52:
	lw	$1, 580($fp)                    # 4-byte Folded Reload
	beqz	$1, $BB6_55
	nop
# %bb.53:
	j	$BB6_54
	nop
$BB6_54:
	lw	$5, 572($fp)                    # 4-byte Folded Reload
	lui	$1, %hi($__unnamed_56)
	addiu	$4, $1, %lo($__unnamed_56)
	jal	__ubsan_handle_type_mismatch_v1
	nop
	j	$BB6_55
	nop
$BB6_55:
	lw	$2, 564($fp)                    # 4-byte Folded Reload
	lw	$1, 576($fp)                    # 4-byte Folded Reload
	addiu	$1, $1, 128
	.loc	2 129 37                        # firmware/tengig/main.c:129:37
	sw	$1, 0($2)
	addiu	$1, $fp, 764
	addiu	$1, $1, 40
	sw	$1, 544($fp)                    # 4-byte Folded Spill
	addiu	$2, $zero, 64
$tmp76:
	.loc	4 145 5                         # firmware/include/tengig/state.h:145:5 @[ firmware/tengig/main.c:132:35 ]
	#APP
	#NO_APP
	sw	$2, 548($fp)                    # 4-byte Folded Spill
	lw	$1, 548($fp)                    # 4-byte Folded Reload
	sw	$1, 976($fp)
	.loc	4 146 12                        # firmware/include/tengig/state.h:146:12 @[ firmware/tengig/main.c:132:35 ]
	lw	$1, 976($fp)
	sw	$1, 552($fp)                    # 4-byte Folded Spill
	move	$2, $1
	sw	$2, 556($fp)                    # 4-byte Folded Spill
$tmp77:
	.loc	2 132 40                        # firmware/tengig/main.c:132:40
	andi	$2, $1, 3
	sw	$2, 560($fp)                    # 4-byte Folded Spill
	beqz	$1, $BB6_59
	nop
# %bb.56:
	j	$BB6_57
	nop
$BB6_57:
	lw	$1, 560($fp)                    # 4-byte Folded Reload
	beqz	$1, $BB6_60
	nop
# %bb.58:
	j	$BB6_59
	nop
$BB6_59:
	lw	$5, 552($fp)                    # 4-byte Folded Reload
	lui	$1, %hi($__unnamed_57)
	addiu	$4, $1, %lo($__unnamed_57)
	jal	__ubsan_handle_type_mismatch_v1
	nop
	j	$BB6_60
	nop
$BB6_60:
	lw	$2, 544($fp)                    # 4-byte Folded Reload
	lw	$1, 556($fp)                    # 4-byte Folded Reload
	addiu	$1, $1, 132
	.loc	2 129 37                        # firmware/tengig/main.c:129:37
	sw	$1, 0($2)
	addiu	$1, $fp, 764
	addiu	$1, $1, 44
	sw	$1, 524($fp)                    # 4-byte Folded Spill
	addiu	$2, $zero, 64
$tmp78:
	.loc	4 145 5                         # firmware/include/tengig/state.h:145:5 @[ firmware/tengig/main.c:132:61 ]
	#APP
	#NO_APP
	sw	$2, 528($fp)                    # 4-byte Folded Spill
	lw	$1, 528($fp)                    # 4-byte Folded Reload
	sw	$1, 972($fp)
	.loc	4 146 12                        # firmware/include/tengig/state.h:146:12 @[ firmware/tengig/main.c:132:61 ]
	lw	$1, 972($fp)
	sw	$1, 532($fp)                    # 4-byte Folded Spill
	move	$2, $1
	sw	$2, 536($fp)                    # 4-byte Folded Spill
$tmp79:
	.loc	2 132 66                        # firmware/tengig/main.c:132:66
	andi	$2, $1, 3
	sw	$2, 540($fp)                    # 4-byte Folded Spill
	beqz	$1, $BB6_64
	nop
# %bb.61:
	j	$BB6_62
	nop
$BB6_62:
	lw	$1, 540($fp)                    # 4-byte Folded Reload
	beqz	$1, $BB6_65
	nop
# %bb.63:
	j	$BB6_64
	nop
$BB6_64:
	lw	$5, 532($fp)                    # 4-byte Folded Reload
	lui	$1, %hi($__unnamed_58)
	addiu	$4, $1, %lo($__unnamed_58)
	jal	__ubsan_handle_type_mismatch_v1
	nop
	j	$BB6_65
	nop
$BB6_65:
	lw	$2, 524($fp)                    # 4-byte Folded Reload
	lw	$1, 536($fp)                    # 4-byte Folded Reload
	addiu	$1, $1, 140
	.loc	2 129 37                        # firmware/tengig/main.c:129:37
	sw	$1, 0($2)
	addiu	$1, $fp, 764
	addiu	$1, $1, 48
	sw	$1, 504($fp)                    # 4-byte Folded Spill
	addiu	$2, $zero, 64
$tmp80:
	.loc	4 145 5                         # firmware/include/tengig/state.h:145:5 @[ firmware/tengig/main.c:132:85 ]
	#APP
	#NO_APP
	sw	$2, 508($fp)                    # 4-byte Folded Spill
	lw	$1, 508($fp)                    # 4-byte Folded Reload
	sw	$1, 968($fp)
	.loc	4 146 12                        # firmware/include/tengig/state.h:146:12 @[ firmware/tengig/main.c:132:85 ]
	lw	$1, 968($fp)
	sw	$1, 512($fp)                    # 4-byte Folded Spill
	move	$2, $1
	sw	$2, 516($fp)                    # 4-byte Folded Spill
$tmp81:
	.loc	2 132 90                        # firmware/tengig/main.c:132:90
	andi	$2, $1, 3
	sw	$2, 520($fp)                    # 4-byte Folded Spill
	beqz	$1, $BB6_69
	nop
# %bb.66:
	j	$BB6_67
	nop
$BB6_67:
	lw	$1, 520($fp)                    # 4-byte Folded Reload
	beqz	$1, $BB6_70
	nop
# %bb.68:
	j	$BB6_69
	nop
$BB6_69:
	lw	$5, 512($fp)                    # 4-byte Folded Reload
	lui	$1, %hi($__unnamed_59)
	addiu	$4, $1, %lo($__unnamed_59)
	jal	__ubsan_handle_type_mismatch_v1
	nop
	j	$BB6_70
	nop
$BB6_70:
	lw	$2, 504($fp)                    # 4-byte Folded Reload
	lw	$1, 516($fp)                    # 4-byte Folded Reload
	addiu	$1, $1, 144
	.loc	2 129 37                        # firmware/tengig/main.c:129:37
	sw	$1, 0($2)
	addiu	$1, $fp, 764
	addiu	$1, $1, 52
	sw	$1, 484($fp)                    # 4-byte Folded Spill
	addiu	$2, $zero, 64
$tmp82:
	.loc	4 145 5                         # firmware/include/tengig/state.h:145:5 @[ firmware/tengig/main.c:133:10 ]
	#APP
	#NO_APP
	sw	$2, 488($fp)                    # 4-byte Folded Spill
	lw	$1, 488($fp)                    # 4-byte Folded Reload
	sw	$1, 964($fp)
	.loc	4 146 12                        # firmware/include/tengig/state.h:146:12 @[ firmware/tengig/main.c:133:10 ]
	lw	$1, 964($fp)
	sw	$1, 492($fp)                    # 4-byte Folded Spill
	move	$2, $1
	sw	$2, 496($fp)                    # 4-byte Folded Spill
$tmp83:
	.loc	2 133 15                        # firmware/tengig/main.c:133:15
	andi	$2, $1, 3
	sw	$2, 500($fp)                    # 4-byte Folded Spill
	beqz	$1, $BB6_74
	nop
# %bb.71:
	j	$BB6_72
	nop
$BB6_72:
	lw	$1, 500($fp)                    # 4-byte Folded Reload
	beqz	$1, $BB6_75
	nop
# %bb.73:
	j	$BB6_74
	nop
$BB6_74:
	lw	$5, 492($fp)                    # 4-byte Folded Reload
	lui	$1, %hi($__unnamed_60)
	addiu	$4, $1, %lo($__unnamed_60)
	jal	__ubsan_handle_type_mismatch_v1
	nop
	j	$BB6_75
	nop
$BB6_75:
	lw	$2, 484($fp)                    # 4-byte Folded Reload
	lw	$1, 496($fp)                    # 4-byte Folded Reload
	addiu	$1, $1, 152
	.loc	2 129 37                        # firmware/tengig/main.c:129:37
	sw	$1, 0($2)
	addiu	$1, $fp, 764
	addiu	$1, $1, 56
	sw	$1, 464($fp)                    # 4-byte Folded Spill
	addiu	$2, $zero, 64
$tmp84:
	.loc	4 145 5                         # firmware/include/tengig/state.h:145:5 @[ firmware/tengig/main.c:133:38 ]
	#APP
	#NO_APP
	sw	$2, 468($fp)                    # 4-byte Folded Spill
	lw	$1, 468($fp)                    # 4-byte Folded Reload
	sw	$1, 960($fp)
	.loc	4 146 12                        # firmware/include/tengig/state.h:146:12 @[ firmware/tengig/main.c:133:38 ]
	lw	$1, 960($fp)
	sw	$1, 472($fp)                    # 4-byte Folded Spill
	move	$2, $1
	sw	$2, 476($fp)                    # 4-byte Folded Spill
$tmp85:
	.loc	2 133 43                        # firmware/tengig/main.c:133:43
	andi	$2, $1, 3
	sw	$2, 480($fp)                    # 4-byte Folded Spill
	beqz	$1, $BB6_79
	nop
# %bb.76:
	j	$BB6_77
	nop
$BB6_77:
	lw	$1, 480($fp)                    # 4-byte Folded Reload
	beqz	$1, $BB6_80
	nop
# %bb.78:
	j	$BB6_79
	nop
$BB6_79:
	lw	$5, 472($fp)                    # 4-byte Folded Reload
	lui	$1, %hi($__unnamed_61)
	addiu	$4, $1, %lo($__unnamed_61)
	jal	__ubsan_handle_type_mismatch_v1
	nop
	j	$BB6_80
	nop
$BB6_80:
	lw	$2, 464($fp)                    # 4-byte Folded Reload
	lw	$1, 476($fp)                    # 4-byte Folded Reload
	addiu	$1, $1, 156
	.loc	2 129 37                        # firmware/tengig/main.c:129:37
	sw	$1, 0($2)
	addiu	$1, $fp, 764
	addiu	$1, $1, 60
	sw	$1, 444($fp)                    # 4-byte Folded Spill
	addiu	$2, $zero, 64
$tmp86:
	.loc	4 145 5                         # firmware/include/tengig/state.h:145:5 @[ firmware/tengig/main.c:133:64 ]
	#APP
	#NO_APP
	sw	$2, 448($fp)                    # 4-byte Folded Spill
	lw	$1, 448($fp)                    # 4-byte Folded Reload
	sw	$1, 956($fp)
	.loc	4 146 12                        # firmware/include/tengig/state.h:146:12 @[ firmware/tengig/main.c:133:64 ]
	lw	$1, 956($fp)
	sw	$1, 452($fp)                    # 4-byte Folded Spill
	move	$2, $1
	sw	$2, 456($fp)                    # 4-byte Folded Spill
$tmp87:
	.loc	2 133 69                        # firmware/tengig/main.c:133:69
	andi	$2, $1, 3
	sw	$2, 460($fp)                    # 4-byte Folded Spill
	beqz	$1, $BB6_84
	nop
# %bb.81:
	j	$BB6_82
	nop
$BB6_82:
	lw	$1, 460($fp)                    # 4-byte Folded Reload
	beqz	$1, $BB6_85
	nop
# %bb.83:
	j	$BB6_84
	nop
$BB6_84:
	lw	$5, 452($fp)                    # 4-byte Folded Reload
	lui	$1, %hi($__unnamed_62)
	addiu	$4, $1, %lo($__unnamed_62)
	jal	__ubsan_handle_type_mismatch_v1
	nop
	j	$BB6_85
	nop
$BB6_85:
	lw	$2, 444($fp)                    # 4-byte Folded Reload
	lw	$1, 456($fp)                    # 4-byte Folded Reload
	addiu	$1, $1, 160
	.loc	2 129 37                        # firmware/tengig/main.c:129:37
	sw	$1, 0($2)
	addiu	$1, $fp, 764
	addiu	$1, $1, 64
	sw	$1, 424($fp)                    # 4-byte Folded Spill
	addiu	$2, $zero, 64
$tmp88:
	.loc	4 145 5                         # firmware/include/tengig/state.h:145:5 @[ firmware/tengig/main.c:133:87 ]
	#APP
	#NO_APP
	sw	$2, 428($fp)                    # 4-byte Folded Spill
	lw	$1, 428($fp)                    # 4-byte Folded Reload
	sw	$1, 952($fp)
	.loc	4 146 12                        # firmware/include/tengig/state.h:146:12 @[ firmware/tengig/main.c:133:87 ]
	lw	$1, 952($fp)
	sw	$1, 432($fp)                    # 4-byte Folded Spill
	move	$2, $1
	sw	$2, 436($fp)                    # 4-byte Folded Spill
$tmp89:
	.loc	2 133 92                        # firmware/tengig/main.c:133:92
	andi	$2, $1, 3
	sw	$2, 440($fp)                    # 4-byte Folded Spill
	beqz	$1, $BB6_89
	nop
# %bb.86:
	j	$BB6_87
	nop
$BB6_87:
	lw	$1, 440($fp)                    # 4-byte Folded Reload
	beqz	$1, $BB6_90
	nop
# %bb.88:
	j	$BB6_89
	nop
$BB6_89:
	lw	$5, 432($fp)                    # 4-byte Folded Reload
	lui	$1, %hi($__unnamed_63)
	addiu	$4, $1, %lo($__unnamed_63)
	jal	__ubsan_handle_type_mismatch_v1
	nop
	j	$BB6_90
	nop
$BB6_90:
	lw	$2, 424($fp)                    # 4-byte Folded Reload
	lw	$1, 436($fp)                    # 4-byte Folded Reload
	addiu	$1, $1, 168
	.loc	2 129 37                        # firmware/tengig/main.c:129:37
	sw	$1, 0($2)
	addiu	$1, $fp, 764
	addiu	$1, $1, 68
	sw	$1, 404($fp)                    # 4-byte Folded Spill
	addiu	$2, $zero, 64
$tmp90:
	.loc	4 145 5                         # firmware/include/tengig/state.h:145:5 @[ firmware/tengig/main.c:134:10 ]
	#APP
	#NO_APP
	sw	$2, 408($fp)                    # 4-byte Folded Spill
	lw	$1, 408($fp)                    # 4-byte Folded Reload
	sw	$1, 948($fp)
	.loc	4 146 12                        # firmware/include/tengig/state.h:146:12 @[ firmware/tengig/main.c:134:10 ]
	lw	$1, 948($fp)
	sw	$1, 412($fp)                    # 4-byte Folded Spill
	move	$2, $1
	sw	$2, 416($fp)                    # 4-byte Folded Spill
$tmp91:
	.loc	2 134 15                        # firmware/tengig/main.c:134:15
	andi	$2, $1, 3
	sw	$2, 420($fp)                    # 4-byte Folded Spill
	beqz	$1, $BB6_94
	nop
# %bb.91:
	j	$BB6_92
	nop
$BB6_92:
	lw	$1, 420($fp)                    # 4-byte Folded Reload
	beqz	$1, $BB6_95
	nop
# %bb.93:
	j	$BB6_94
	nop
$BB6_94:
	lw	$5, 412($fp)                    # 4-byte Folded Reload
	lui	$1, %hi($__unnamed_64)
	addiu	$4, $1, %lo($__unnamed_64)
	jal	__ubsan_handle_type_mismatch_v1
	nop
	j	$BB6_95
	nop
$BB6_95:
	lw	$2, 404($fp)                    # 4-byte Folded Reload
	lw	$1, 416($fp)                    # 4-byte Folded Reload
	addiu	$1, $1, 172
	.loc	2 129 37                        # firmware/tengig/main.c:129:37
	sw	$1, 0($2)
	addiu	$1, $fp, 764
	addiu	$1, $1, 72
	sw	$1, 384($fp)                    # 4-byte Folded Spill
	addiu	$2, $zero, 64
$tmp92:
	.loc	4 145 5                         # firmware/include/tengig/state.h:145:5 @[ firmware/tengig/main.c:134:34 ]
	#APP
	#NO_APP
	sw	$2, 388($fp)                    # 4-byte Folded Spill
	lw	$1, 388($fp)                    # 4-byte Folded Reload
	sw	$1, 944($fp)
	.loc	4 146 12                        # firmware/include/tengig/state.h:146:12 @[ firmware/tengig/main.c:134:34 ]
	lw	$1, 944($fp)
	sw	$1, 392($fp)                    # 4-byte Folded Spill
	move	$2, $1
	sw	$2, 396($fp)                    # 4-byte Folded Spill
$tmp93:
	.loc	2 134 39                        # firmware/tengig/main.c:134:39
	andi	$2, $1, 3
	sw	$2, 400($fp)                    # 4-byte Folded Spill
	beqz	$1, $BB6_99
	nop
# %bb.96:
	j	$BB6_97
	nop
$BB6_97:
	lw	$1, 400($fp)                    # 4-byte Folded Reload
	beqz	$1, $BB6_100
	nop
# %bb.98:
	j	$BB6_99
	nop
$BB6_99:
	lw	$5, 392($fp)                    # 4-byte Folded Reload
	lui	$1, %hi($__unnamed_65)
	addiu	$4, $1, %lo($__unnamed_65)
	jal	__ubsan_handle_type_mismatch_v1
	nop
	j	$BB6_100
	nop
$BB6_100:
	lw	$2, 384($fp)                    # 4-byte Folded Reload
	lw	$1, 396($fp)                    # 4-byte Folded Reload
	addiu	$1, $1, 176
	.loc	2 129 37                        # firmware/tengig/main.c:129:37
	sw	$1, 0($2)
	addiu	$1, $fp, 764
	addiu	$1, $1, 76
	sw	$1, 364($fp)                    # 4-byte Folded Spill
	addiu	$2, $zero, 64
$tmp94:
	.loc	4 145 5                         # firmware/include/tengig/state.h:145:5 @[ firmware/tengig/main.c:134:58 ]
	#APP
	#NO_APP
	sw	$2, 368($fp)                    # 4-byte Folded Spill
	lw	$1, 368($fp)                    # 4-byte Folded Reload
	sw	$1, 940($fp)
	.loc	4 146 12                        # firmware/include/tengig/state.h:146:12 @[ firmware/tengig/main.c:134:58 ]
	lw	$1, 940($fp)
	sw	$1, 372($fp)                    # 4-byte Folded Spill
	move	$2, $1
	sw	$2, 376($fp)                    # 4-byte Folded Spill
$tmp95:
	.loc	2 134 63                        # firmware/tengig/main.c:134:63
	andi	$2, $1, 3
	sw	$2, 380($fp)                    # 4-byte Folded Spill
	beqz	$1, $BB6_104
	nop
# %bb.101:
	j	$BB6_102
	nop
$BB6_102:
	lw	$1, 380($fp)                    # 4-byte Folded Reload
	beqz	$1, $BB6_105
	nop
# %bb.103:
	j	$BB6_104
	nop
$BB6_104:
	lw	$5, 372($fp)                    # 4-byte Folded Reload
	lui	$1, %hi($__unnamed_66)
	addiu	$4, $1, %lo($__unnamed_66)
	jal	__ubsan_handle_type_mismatch_v1
	nop
	j	$BB6_105
	nop
$BB6_105:
	lw	$1, 376($fp)                    # 4-byte Folded Reload
	addiu	$1, $1, 180
	sw	$1, 352($fp)                    # 4-byte Folded Spill
	move	$2, $1
	sw	$2, 356($fp)                    # 4-byte Folded Spill
	.loc	2 134 69 is_stmt 0              # firmware/tengig/main.c:134:69
	andi	$2, $1, 3
	sw	$2, 360($fp)                    # 4-byte Folded Spill
	beqz	$1, $BB6_109
	nop
# %bb.106:
	j	$BB6_107
	nop
$BB6_107:
	lw	$1, 360($fp)                    # 4-byte Folded Reload
	beqz	$1, $BB6_110
	nop
# %bb.108:
	j	$BB6_109
	nop
$BB6_109:
	lw	$5, 352($fp)                    # 4-byte Folded Reload
	lui	$1, %hi($__unnamed_67)
	addiu	$4, $1, %lo($__unnamed_67)
	jal	__ubsan_handle_type_mismatch_v1
	nop
	j	$BB6_110
	nop
$BB6_110:
	lw	$2, 364($fp)                    # 4-byte Folded Reload
	lw	$1, 356($fp)                    # 4-byte Folded Reload
	addiu	$1, $1, 4
	.loc	2 129 37 is_stmt 1              # firmware/tengig/main.c:129:37
	sw	$1, 0($2)
	addiu	$1, $fp, 764
	addiu	$1, $1, 80
	sw	$1, 332($fp)                    # 4-byte Folded Spill
	addiu	$2, $zero, 64
$tmp96:
	.loc	4 145 5                         # firmware/include/tengig/state.h:145:5 @[ firmware/tengig/main.c:134:81 ]
	#APP
	#NO_APP
	sw	$2, 336($fp)                    # 4-byte Folded Spill
	lw	$1, 336($fp)                    # 4-byte Folded Reload
	sw	$1, 936($fp)
	.loc	4 146 12                        # firmware/include/tengig/state.h:146:12 @[ firmware/tengig/main.c:134:81 ]
	lw	$1, 936($fp)
	sw	$1, 340($fp)                    # 4-byte Folded Spill
	move	$2, $1
	sw	$2, 344($fp)                    # 4-byte Folded Spill
$tmp97:
	.loc	2 134 86                        # firmware/tengig/main.c:134:86
	andi	$2, $1, 3
	sw	$2, 348($fp)                    # 4-byte Folded Spill
	beqz	$1, $BB6_114
	nop
# %bb.111:
	j	$BB6_112
	nop
$BB6_112:
	lw	$1, 348($fp)                    # 4-byte Folded Reload
	beqz	$1, $BB6_115
	nop
# %bb.113:
	j	$BB6_114
	nop
$BB6_114:
	lw	$5, 340($fp)                    # 4-byte Folded Reload
	lui	$1, %hi($__unnamed_68)
	addiu	$4, $1, %lo($__unnamed_68)
	jal	__ubsan_handle_type_mismatch_v1
	nop
	j	$BB6_115
	nop
$BB6_115:
	lw	$1, 344($fp)                    # 4-byte Folded Reload
	addiu	$1, $1, 180
	sw	$1, 320($fp)                    # 4-byte Folded Spill
	move	$2, $1
	sw	$2, 324($fp)                    # 4-byte Folded Spill
	.loc	2 134 92 is_stmt 0              # firmware/tengig/main.c:134:92
	andi	$2, $1, 3
	sw	$2, 328($fp)                    # 4-byte Folded Spill
	beqz	$1, $BB6_119
	nop
# %bb.116:
	j	$BB6_117
	nop
$BB6_117:
	lw	$1, 328($fp)                    # 4-byte Folded Reload
	beqz	$1, $BB6_120
	nop
# %bb.118:
	j	$BB6_119
	nop
$BB6_119:
	lw	$5, 320($fp)                    # 4-byte Folded Reload
	lui	$1, %hi($__unnamed_69)
	addiu	$4, $1, %lo($__unnamed_69)
	jal	__ubsan_handle_type_mismatch_v1
	nop
	j	$BB6_120
	nop
$BB6_120:
	lw	$2, 332($fp)                    # 4-byte Folded Reload
	lw	$1, 324($fp)                    # 4-byte Folded Reload
	addiu	$1, $1, 12
	.loc	2 129 37 is_stmt 1              # firmware/tengig/main.c:129:37
	sw	$1, 0($2)
	addiu	$1, $fp, 764
	addiu	$1, $1, 84
	sw	$1, 300($fp)                    # 4-byte Folded Spill
	addiu	$2, $zero, 64
$tmp98:
	.loc	4 145 5                         # firmware/include/tengig/state.h:145:5 @[ firmware/tengig/main.c:134:104 ]
	#APP
	#NO_APP
	sw	$2, 304($fp)                    # 4-byte Folded Spill
	lw	$1, 304($fp)                    # 4-byte Folded Reload
	sw	$1, 932($fp)
	.loc	4 146 12                        # firmware/include/tengig/state.h:146:12 @[ firmware/tengig/main.c:134:104 ]
	lw	$1, 932($fp)
	sw	$1, 308($fp)                    # 4-byte Folded Spill
	move	$2, $1
	sw	$2, 312($fp)                    # 4-byte Folded Spill
$tmp99:
	.loc	2 134 109                       # firmware/tengig/main.c:134:109
	andi	$2, $1, 3
	sw	$2, 316($fp)                    # 4-byte Folded Spill
	beqz	$1, $BB6_124
	nop
# %bb.121:
	j	$BB6_122
	nop
$BB6_122:
	lw	$1, 316($fp)                    # 4-byte Folded Reload
	beqz	$1, $BB6_125
	nop
# %bb.123:
	j	$BB6_124
	nop
$BB6_124:
	lw	$5, 308($fp)                    # 4-byte Folded Reload
	lui	$1, %hi($__unnamed_70)
	addiu	$4, $1, %lo($__unnamed_70)
	jal	__ubsan_handle_type_mismatch_v1
	nop
	j	$BB6_125
	nop
$BB6_125:
	lw	$1, 312($fp)                    # 4-byte Folded Reload
	addiu	$1, $1, 180
	sw	$1, 288($fp)                    # 4-byte Folded Spill
	move	$2, $1
	sw	$2, 292($fp)                    # 4-byte Folded Spill
	.loc	2 134 115 is_stmt 0             # firmware/tengig/main.c:134:115
	andi	$2, $1, 3
	sw	$2, 296($fp)                    # 4-byte Folded Spill
	beqz	$1, $BB6_129
	nop
# %bb.126:
	j	$BB6_127
	nop
$BB6_127:
	lw	$1, 296($fp)                    # 4-byte Folded Reload
	beqz	$1, $BB6_130
	nop
# %bb.128:
	j	$BB6_129
	nop
$BB6_129:
	lw	$5, 288($fp)                    # 4-byte Folded Reload
	lui	$1, %hi($__unnamed_71)
	addiu	$4, $1, %lo($__unnamed_71)
	jal	__ubsan_handle_type_mismatch_v1
	nop
	j	$BB6_130
	nop
$BB6_130:
	lw	$2, 300($fp)                    # 4-byte Folded Reload
	lw	$1, 292($fp)                    # 4-byte Folded Reload
	addiu	$1, $1, 16
	.loc	2 129 37 is_stmt 1              # firmware/tengig/main.c:129:37
	sw	$1, 0($2)
	addiu	$1, $fp, 764
	addiu	$1, $1, 88
	sw	$1, 268($fp)                    # 4-byte Folded Spill
	addiu	$2, $zero, 64
$tmp100:
	.loc	4 145 5                         # firmware/include/tengig/state.h:145:5 @[ firmware/tengig/main.c:135:10 ]
	#APP
	#NO_APP
	sw	$2, 272($fp)                    # 4-byte Folded Spill
	lw	$1, 272($fp)                    # 4-byte Folded Reload
	sw	$1, 928($fp)
	.loc	4 146 12                        # firmware/include/tengig/state.h:146:12 @[ firmware/tengig/main.c:135:10 ]
	lw	$1, 928($fp)
	sw	$1, 276($fp)                    # 4-byte Folded Spill
	move	$2, $1
	sw	$2, 280($fp)                    # 4-byte Folded Spill
$tmp101:
	.loc	2 135 15                        # firmware/tengig/main.c:135:15
	andi	$2, $1, 3
	sw	$2, 284($fp)                    # 4-byte Folded Spill
	beqz	$1, $BB6_134
	nop
# %bb.131:
	j	$BB6_132
	nop
$BB6_132:
	lw	$1, 284($fp)                    # 4-byte Folded Reload
	beqz	$1, $BB6_135
	nop
# %bb.133:
	j	$BB6_134
	nop
$BB6_134:
	lw	$5, 276($fp)                    # 4-byte Folded Reload
	lui	$1, %hi($__unnamed_72)
	addiu	$4, $1, %lo($__unnamed_72)
	jal	__ubsan_handle_type_mismatch_v1
	nop
	j	$BB6_135
	nop
$BB6_135:
	lw	$1, 280($fp)                    # 4-byte Folded Reload
	addiu	$1, $1, 1480
	sw	$1, 256($fp)                    # 4-byte Folded Spill
	move	$2, $1
	sw	$2, 260($fp)                    # 4-byte Folded Spill
	.loc	2 135 22 is_stmt 0              # firmware/tengig/main.c:135:22
	andi	$2, $1, 3
	sw	$2, 264($fp)                    # 4-byte Folded Spill
	beqz	$1, $BB6_139
	nop
# %bb.136:
	j	$BB6_137
	nop
$BB6_137:
	lw	$1, 264($fp)                    # 4-byte Folded Reload
	beqz	$1, $BB6_140
	nop
# %bb.138:
	j	$BB6_139
	nop
$BB6_139:
	lw	$5, 256($fp)                    # 4-byte Folded Reload
	lui	$1, %hi($__unnamed_73)
	addiu	$4, $1, %lo($__unnamed_73)
	jal	__ubsan_handle_type_mismatch_v1
	nop
	j	$BB6_140
	nop
$BB6_140:
	lw	$2, 268($fp)                    # 4-byte Folded Reload
	lw	$1, 260($fp)                    # 4-byte Folded Reload
	addiu	$1, $1, 4
	.loc	2 129 37 is_stmt 1              # firmware/tengig/main.c:129:37
	sw	$1, 0($2)
	addiu	$1, $fp, 764
	addiu	$1, $1, 92
	sw	$1, 236($fp)                    # 4-byte Folded Spill
	addiu	$2, $zero, 64
$tmp102:
	.loc	4 145 5                         # firmware/include/tengig/state.h:145:5 @[ firmware/tengig/main.c:135:34 ]
	#APP
	#NO_APP
	sw	$2, 240($fp)                    # 4-byte Folded Spill
	lw	$1, 240($fp)                    # 4-byte Folded Reload
	sw	$1, 924($fp)
	.loc	4 146 12                        # firmware/include/tengig/state.h:146:12 @[ firmware/tengig/main.c:135:34 ]
	lw	$1, 924($fp)
	sw	$1, 244($fp)                    # 4-byte Folded Spill
	move	$2, $1
	sw	$2, 248($fp)                    # 4-byte Folded Spill
$tmp103:
	.loc	2 135 39                        # firmware/tengig/main.c:135:39
	andi	$2, $1, 3
	sw	$2, 252($fp)                    # 4-byte Folded Spill
	beqz	$1, $BB6_144
	nop
# %bb.141:
	j	$BB6_142
	nop
$BB6_142:
	lw	$1, 252($fp)                    # 4-byte Folded Reload
	beqz	$1, $BB6_145
	nop
# %bb.143:
	j	$BB6_144
	nop
$BB6_144:
	lw	$5, 244($fp)                    # 4-byte Folded Reload
	lui	$1, %hi($__unnamed_74)
	addiu	$4, $1, %lo($__unnamed_74)
	jal	__ubsan_handle_type_mismatch_v1
	nop
	j	$BB6_145
	nop
$BB6_145:
	lw	$1, 248($fp)                    # 4-byte Folded Reload
	addiu	$1, $1, 1480
	sw	$1, 224($fp)                    # 4-byte Folded Spill
	move	$2, $1
	sw	$2, 228($fp)                    # 4-byte Folded Spill
	.loc	2 135 46 is_stmt 0              # firmware/tengig/main.c:135:46
	andi	$2, $1, 3
	sw	$2, 232($fp)                    # 4-byte Folded Spill
	beqz	$1, $BB6_149
	nop
# %bb.146:
	j	$BB6_147
	nop
$BB6_147:
	lw	$1, 232($fp)                    # 4-byte Folded Reload
	beqz	$1, $BB6_150
	nop
# %bb.148:
	j	$BB6_149
	nop
$BB6_149:
	lw	$5, 224($fp)                    # 4-byte Folded Reload
	lui	$1, %hi($__unnamed_75)
	addiu	$4, $1, %lo($__unnamed_75)
	jal	__ubsan_handle_type_mismatch_v1
	nop
	j	$BB6_150
	nop
$BB6_150:
	lw	$2, 236($fp)                    # 4-byte Folded Reload
	lw	$1, 228($fp)                    # 4-byte Folded Reload
	addiu	$1, $1, 12
	.loc	2 129 37 is_stmt 1              # firmware/tengig/main.c:129:37
	sw	$1, 0($2)
	addiu	$1, $fp, 764
	addiu	$1, $1, 96
	sw	$1, 204($fp)                    # 4-byte Folded Spill
	addiu	$2, $zero, 64
$tmp104:
	.loc	4 145 5                         # firmware/include/tengig/state.h:145:5 @[ firmware/tengig/main.c:135:58 ]
	#APP
	#NO_APP
	sw	$2, 208($fp)                    # 4-byte Folded Spill
	lw	$1, 208($fp)                    # 4-byte Folded Reload
	sw	$1, 920($fp)
	.loc	4 146 12                        # firmware/include/tengig/state.h:146:12 @[ firmware/tengig/main.c:135:58 ]
	lw	$1, 920($fp)
	sw	$1, 212($fp)                    # 4-byte Folded Spill
	move	$2, $1
	sw	$2, 216($fp)                    # 4-byte Folded Spill
$tmp105:
	.loc	2 135 63                        # firmware/tengig/main.c:135:63
	andi	$2, $1, 3
	sw	$2, 220($fp)                    # 4-byte Folded Spill
	beqz	$1, $BB6_154
	nop
# %bb.151:
	j	$BB6_152
	nop
$BB6_152:
	lw	$1, 220($fp)                    # 4-byte Folded Reload
	beqz	$1, $BB6_155
	nop
# %bb.153:
	j	$BB6_154
	nop
$BB6_154:
	lw	$5, 212($fp)                    # 4-byte Folded Reload
	lui	$1, %hi($__unnamed_76)
	addiu	$4, $1, %lo($__unnamed_76)
	jal	__ubsan_handle_type_mismatch_v1
	nop
	j	$BB6_155
	nop
$BB6_155:
	lw	$1, 216($fp)                    # 4-byte Folded Reload
	addiu	$1, $1, 1480
	sw	$1, 192($fp)                    # 4-byte Folded Spill
	move	$2, $1
	sw	$2, 196($fp)                    # 4-byte Folded Spill
	.loc	2 135 70 is_stmt 0              # firmware/tengig/main.c:135:70
	andi	$2, $1, 3
	sw	$2, 200($fp)                    # 4-byte Folded Spill
	beqz	$1, $BB6_159
	nop
# %bb.156:
	j	$BB6_157
	nop
$BB6_157:
	lw	$1, 200($fp)                    # 4-byte Folded Reload
	beqz	$1, $BB6_160
	nop
# %bb.158:
	j	$BB6_159
	nop
$BB6_159:
	lw	$5, 192($fp)                    # 4-byte Folded Reload
	lui	$1, %hi($__unnamed_77)
	addiu	$4, $1, %lo($__unnamed_77)
	jal	__ubsan_handle_type_mismatch_v1
	nop
	j	$BB6_160
	nop
$BB6_160:
	lw	$2, 204($fp)                    # 4-byte Folded Reload
	lw	$1, 196($fp)                    # 4-byte Folded Reload
	addiu	$1, $1, 16
	.loc	2 129 37 is_stmt 1              # firmware/tengig/main.c:129:37
	sw	$1, 0($2)
	addiu	$1, $fp, 764
	addiu	$1, $1, 100
	sw	$1, 172($fp)                    # 4-byte Folded Spill
	addiu	$2, $zero, 64
$tmp106:
	.loc	4 145 5                         # firmware/include/tengig/state.h:145:5 @[ firmware/tengig/main.c:135:80 ]
	#APP
	#NO_APP
	sw	$2, 176($fp)                    # 4-byte Folded Spill
	lw	$1, 176($fp)                    # 4-byte Folded Reload
	sw	$1, 916($fp)
	.loc	4 146 12                        # firmware/include/tengig/state.h:146:12 @[ firmware/tengig/main.c:135:80 ]
	lw	$1, 916($fp)
	sw	$1, 180($fp)                    # 4-byte Folded Spill
	move	$2, $1
	sw	$2, 184($fp)                    # 4-byte Folded Spill
$tmp107:
	.loc	2 135 85                        # firmware/tengig/main.c:135:85
	andi	$2, $1, 3
	sw	$2, 188($fp)                    # 4-byte Folded Spill
	beqz	$1, $BB6_164
	nop
# %bb.161:
	j	$BB6_162
	nop
$BB6_162:
	lw	$1, 188($fp)                    # 4-byte Folded Reload
	beqz	$1, $BB6_165
	nop
# %bb.163:
	j	$BB6_164
	nop
$BB6_164:
	lw	$5, 180($fp)                    # 4-byte Folded Reload
	lui	$1, %hi($__unnamed_78)
	addiu	$4, $1, %lo($__unnamed_78)
	jal	__ubsan_handle_type_mismatch_v1
	nop
	j	$BB6_165
	nop
$BB6_165:
	lw	$2, 172($fp)                    # 4-byte Folded Reload
	lw	$1, 184($fp)                    # 4-byte Folded Reload
	addiu	$1, $1, 2784
	.loc	2 129 37                        # firmware/tengig/main.c:129:37
	sw	$1, 0($2)
	addiu	$1, $fp, 764
	addiu	$1, $1, 104
	sw	$1, 152($fp)                    # 4-byte Folded Spill
	addiu	$2, $zero, 64
$tmp108:
	.loc	4 145 5                         # firmware/include/tengig/state.h:145:5 @[ firmware/tengig/main.c:135:104 ]
	#APP
	#NO_APP
	sw	$2, 156($fp)                    # 4-byte Folded Spill
	lw	$1, 156($fp)                    # 4-byte Folded Reload
	sw	$1, 912($fp)
	.loc	4 146 12                        # firmware/include/tengig/state.h:146:12 @[ firmware/tengig/main.c:135:104 ]
	lw	$1, 912($fp)
	sw	$1, 160($fp)                    # 4-byte Folded Spill
	move	$2, $1
	sw	$2, 164($fp)                    # 4-byte Folded Spill
$tmp109:
	.loc	2 135 109                       # firmware/tengig/main.c:135:109
	andi	$2, $1, 3
	sw	$2, 168($fp)                    # 4-byte Folded Spill
	beqz	$1, $BB6_169
	nop
# %bb.166:
	j	$BB6_167
	nop
$BB6_167:
	lw	$1, 168($fp)                    # 4-byte Folded Reload
	beqz	$1, $BB6_170
	nop
# %bb.168:
	j	$BB6_169
	nop
$BB6_169:
	lw	$5, 160($fp)                    # 4-byte Folded Reload
	lui	$1, %hi($__unnamed_79)
	addiu	$4, $1, %lo($__unnamed_79)
	jal	__ubsan_handle_type_mismatch_v1
	nop
	j	$BB6_170
	nop
$BB6_170:
	lw	$2, 152($fp)                    # 4-byte Folded Reload
	lw	$1, 164($fp)                    # 4-byte Folded Reload
	addiu	$1, $1, 2788
	.loc	2 129 37                        # firmware/tengig/main.c:129:37
	sw	$1, 0($2)
	addiu	$1, $fp, 764
	addiu	$1, $1, 108
	sw	$1, 132($fp)                    # 4-byte Folded Spill
	addiu	$2, $zero, 64
$tmp110:
	.loc	4 145 5                         # firmware/include/tengig/state.h:145:5 @[ firmware/tengig/main.c:136:10 ]
	#APP
	#NO_APP
	sw	$2, 136($fp)                    # 4-byte Folded Spill
	lw	$1, 136($fp)                    # 4-byte Folded Reload
	sw	$1, 908($fp)
	.loc	4 146 12                        # firmware/include/tengig/state.h:146:12 @[ firmware/tengig/main.c:136:10 ]
	lw	$1, 908($fp)
	sw	$1, 140($fp)                    # 4-byte Folded Spill
	move	$2, $1
	sw	$2, 144($fp)                    # 4-byte Folded Spill
$tmp111:
	.loc	2 136 15                        # firmware/tengig/main.c:136:15
	andi	$2, $1, 3
	sw	$2, 148($fp)                    # 4-byte Folded Spill
	beqz	$1, $BB6_174
	nop
# %bb.171:
	j	$BB6_172
	nop
$BB6_172:
	lw	$1, 148($fp)                    # 4-byte Folded Reload
	beqz	$1, $BB6_175
	nop
# %bb.173:
	j	$BB6_174
	nop
$BB6_174:
	lw	$5, 140($fp)                    # 4-byte Folded Reload
	lui	$1, %hi($__unnamed_80)
	addiu	$4, $1, %lo($__unnamed_80)
	jal	__ubsan_handle_type_mismatch_v1
	nop
	j	$BB6_175
	nop
$BB6_175:
	lw	$1, 144($fp)                    # 4-byte Folded Reload
	addiu	$1, $1, 2800
	sw	$1, 120($fp)                    # 4-byte Folded Spill
	move	$2, $1
	sw	$2, 124($fp)                    # 4-byte Folded Spill
	.loc	2 136 22 is_stmt 0              # firmware/tengig/main.c:136:22
	andi	$2, $1, 3
	sw	$2, 128($fp)                    # 4-byte Folded Spill
	beqz	$1, $BB6_179
	nop
# %bb.176:
	j	$BB6_177
	nop
$BB6_177:
	lw	$1, 128($fp)                    # 4-byte Folded Reload
	beqz	$1, $BB6_180
	nop
# %bb.178:
	j	$BB6_179
	nop
$BB6_179:
	lw	$5, 120($fp)                    # 4-byte Folded Reload
	lui	$1, %hi($__unnamed_81)
	addiu	$4, $1, %lo($__unnamed_81)
	jal	__ubsan_handle_type_mismatch_v1
	nop
	j	$BB6_180
	nop
$BB6_180:
	.loc	2 129 37 is_stmt 1              # firmware/tengig/main.c:129:37
	lw	$1, 124($fp)                    # 4-byte Folded Reload
	lw	$2, 132($fp)                    # 4-byte Folded Reload
	sw	$1, 0($2)
	addiu	$1, $fp, 764
	addiu	$1, $1, 112
	sw	$1, 100($fp)                    # 4-byte Folded Spill
	addiu	$2, $zero, 64
$tmp112:
	.loc	4 145 5                         # firmware/include/tengig/state.h:145:5 @[ firmware/tengig/main.c:136:41 ]
	#APP
	#NO_APP
	sw	$2, 104($fp)                    # 4-byte Folded Spill
	lw	$1, 104($fp)                    # 4-byte Folded Reload
	sw	$1, 904($fp)
	.loc	4 146 12                        # firmware/include/tengig/state.h:146:12 @[ firmware/tengig/main.c:136:41 ]
	lw	$1, 904($fp)
	sw	$1, 108($fp)                    # 4-byte Folded Spill
	move	$2, $1
	sw	$2, 112($fp)                    # 4-byte Folded Spill
$tmp113:
	.loc	2 136 46                        # firmware/tengig/main.c:136:46
	andi	$2, $1, 3
	sw	$2, 116($fp)                    # 4-byte Folded Spill
	beqz	$1, $BB6_184
	nop
# %bb.181:
	j	$BB6_182
	nop
$BB6_182:
	lw	$1, 116($fp)                    # 4-byte Folded Reload
	beqz	$1, $BB6_185
	nop
# %bb.183:
	j	$BB6_184
	nop
$BB6_184:
	lw	$5, 108($fp)                    # 4-byte Folded Reload
	lui	$1, %hi($__unnamed_82)
	addiu	$4, $1, %lo($__unnamed_82)
	jal	__ubsan_handle_type_mismatch_v1
	nop
	j	$BB6_185
	nop
$BB6_185:
	lw	$1, 112($fp)                    # 4-byte Folded Reload
	addiu	$1, $1, 2800
	sw	$1, 88($fp)                     # 4-byte Folded Spill
	move	$2, $1
	sw	$2, 92($fp)                     # 4-byte Folded Spill
	.loc	2 136 53 is_stmt 0              # firmware/tengig/main.c:136:53
	andi	$2, $1, 3
	sw	$2, 96($fp)                     # 4-byte Folded Spill
	beqz	$1, $BB6_189
	nop
# %bb.186:
	j	$BB6_187
	nop
$BB6_187:
	lw	$1, 96($fp)                     # 4-byte Folded Reload
	beqz	$1, $BB6_190
	nop
# %bb.188:
	j	$BB6_189
	nop
$BB6_189:
	lw	$5, 88($fp)                     # 4-byte Folded Reload
	lui	$1, %hi($__unnamed_83)
	addiu	$4, $1, %lo($__unnamed_83)
	jal	__ubsan_handle_type_mismatch_v1
	nop
	j	$BB6_190
	nop
$BB6_190:
	lw	$2, 100($fp)                    # 4-byte Folded Reload
	lw	$1, 92($fp)                     # 4-byte Folded Reload
	addiu	$1, $1, 4
	.loc	2 129 37 is_stmt 1              # firmware/tengig/main.c:129:37
	sw	$1, 0($2)
	addiu	$1, $fp, 764
	addiu	$1, $1, 116
	sw	$1, 68($fp)                     # 4-byte Folded Spill
	addiu	$2, $zero, 64
$tmp114:
	.loc	4 145 5                         # firmware/include/tengig/state.h:145:5 @[ firmware/tengig/main.c:136:72 ]
	#APP
	#NO_APP
	sw	$2, 72($fp)                     # 4-byte Folded Spill
	lw	$1, 72($fp)                     # 4-byte Folded Reload
	sw	$1, 900($fp)
	.loc	4 146 12                        # firmware/include/tengig/state.h:146:12 @[ firmware/tengig/main.c:136:72 ]
	lw	$1, 900($fp)
	sw	$1, 76($fp)                     # 4-byte Folded Spill
	move	$2, $1
	sw	$2, 80($fp)                     # 4-byte Folded Spill
$tmp115:
	.loc	2 136 77                        # firmware/tengig/main.c:136:77
	andi	$2, $1, 3
	sw	$2, 84($fp)                     # 4-byte Folded Spill
	beqz	$1, $BB6_194
	nop
# %bb.191:
	j	$BB6_192
	nop
$BB6_192:
	lw	$1, 84($fp)                     # 4-byte Folded Reload
	beqz	$1, $BB6_195
	nop
# %bb.193:
	j	$BB6_194
	nop
$BB6_194:
	lw	$5, 76($fp)                     # 4-byte Folded Reload
	lui	$1, %hi($__unnamed_84)
	addiu	$4, $1, %lo($__unnamed_84)
	jal	__ubsan_handle_type_mismatch_v1
	nop
	j	$BB6_195
	nop
$BB6_195:
	lw	$2, 68($fp)                     # 4-byte Folded Reload
	lw	$1, 80($fp)                     # 4-byte Folded Reload
	addiu	$1, $1, 2812
	.loc	2 129 37                        # firmware/tengig/main.c:129:37
	sw	$1, 0($2)
	addiu	$1, $fp, 764
	addiu	$1, $1, 120
	sw	$1, 48($fp)                     # 4-byte Folded Spill
	addiu	$2, $zero, 64
$tmp116:
	.loc	4 145 5                         # firmware/include/tengig/state.h:145:5 @[ firmware/tengig/main.c:136:92 ]
	#APP
	#NO_APP
	sw	$2, 52($fp)                     # 4-byte Folded Spill
	lw	$1, 52($fp)                     # 4-byte Folded Reload
	sw	$1, 896($fp)
	.loc	4 146 12                        # firmware/include/tengig/state.h:146:12 @[ firmware/tengig/main.c:136:92 ]
	lw	$1, 896($fp)
	sw	$1, 56($fp)                     # 4-byte Folded Spill
	move	$2, $1
	sw	$2, 60($fp)                     # 4-byte Folded Spill
$tmp117:
	.loc	2 136 97                        # firmware/tengig/main.c:136:97
	andi	$2, $1, 3
	sw	$2, 64($fp)                     # 4-byte Folded Spill
	beqz	$1, $BB6_199
	nop
# %bb.196:
	j	$BB6_197
	nop
$BB6_197:
	lw	$1, 64($fp)                     # 4-byte Folded Reload
	beqz	$1, $BB6_200
	nop
# %bb.198:
	j	$BB6_199
	nop
$BB6_199:
	lw	$5, 56($fp)                     # 4-byte Folded Reload
	lui	$1, %hi($__unnamed_85)
	addiu	$4, $1, %lo($__unnamed_85)
	jal	__ubsan_handle_type_mismatch_v1
	nop
	j	$BB6_200
	nop
$BB6_200:
	lw	$2, 48($fp)                     # 4-byte Folded Reload
	lw	$1, 60($fp)                     # 4-byte Folded Reload
	addiu	$1, $1, 2816
	.loc	2 129 37                        # firmware/tengig/main.c:129:37
	sw	$1, 0($2)
$tmp118:
	.loc	2 138 19                        # firmware/tengig/main.c:138:19
	sw	$zero, 760($fp)
	.loc	2 138 10 is_stmt 0              # firmware/tengig/main.c:138:10
	j	$BB6_201
	nop
$BB6_201:                               # =>This Inner Loop Header: Depth=1
$tmp119:
	.loc	2 138 26                        # firmware/tengig/main.c:138:26
	lw	$1, 760($fp)
$tmp120:
	.loc	2 138 5                         # firmware/tengig/main.c:138:5
	sltiu	$1, $1, 31
	beqz	$1, $BB6_222
	nop
# %bb.202:                              #   in Loop: Header=BB6_201 Depth=1
	j	$BB6_203
	nop
$BB6_203:                               #   in Loop: Header=BB6_201 Depth=1
$tmp121:
	.loc	2 139 24 is_stmt 1              # firmware/tengig/main.c:139:24
	lw	$1, 892($fp)
	sw	$1, 40($fp)                     # 4-byte Folded Spill
	.loc	2 139 19 is_stmt 0              # firmware/tengig/main.c:139:19
	lw	$1, 760($fp)
	sw	$1, 44($fp)                     # 4-byte Folded Spill
	.loc	2 139 10                        # firmware/tengig/main.c:139:10
	sltiu	$1, $1, 31
	bnez	$1, $BB6_206
	nop
# %bb.204:                              #   in Loop: Header=BB6_201 Depth=1
	j	$BB6_205
	nop
$BB6_205:                               #   in Loop: Header=BB6_201 Depth=1
	lw	$5, 44($fp)                     # 4-byte Folded Reload
	lui	$1, %hi($__unnamed_86)
	addiu	$4, $1, %lo($__unnamed_86)
	jal	__ubsan_handle_out_of_bounds
	nop
	j	$BB6_206
	nop
$BB6_206:                               #   in Loop: Header=BB6_201 Depth=1
	lw	$4, 44($fp)                     # 4-byte Folded Reload
	sll	$3, $4, 2
	addiu	$1, $fp, 764
	sw	$1, 24($fp)                     # 4-byte Folded Spill
	addu	$2, $1, $3
	sw	$2, 28($fp)                     # 4-byte Folded Spill
	move	$5, $2
	sw	$5, 32($fp)                     # 4-byte Folded Spill
	sra	$3, $3, 2
	xor	$3, $3, $4
	sltu	$3, $zero, $3
	sw	$3, 36($fp)                     # 4-byte Folded Spill
	sltu	$1, $zero, $1
	sltu	$2, $zero, $2
	bne	$1, $2, $BB6_214
	nop
# %bb.207:                              #   in Loop: Header=BB6_201 Depth=1
	j	$BB6_208
	nop
$BB6_208:                               #   in Loop: Header=BB6_201 Depth=1
	lw	$1, 28($fp)                     # 4-byte Folded Reload
	lw	$2, 24($fp)                     # 4-byte Folded Reload
	sltu	$1, $1, $2
	bnez	$1, $BB6_214
	nop
# %bb.209:                              #   in Loop: Header=BB6_201 Depth=1
	j	$BB6_210
	nop
$BB6_210:                               #   in Loop: Header=BB6_201 Depth=1
	.loc	2 0 10                          # firmware/tengig/main.c:0:10
	lw	$1, 36($fp)                     # 4-byte Folded Reload
	andi	$1, $1, 1
	.loc	2 139 10                        # firmware/tengig/main.c:139:10
	bnez	$1, $BB6_214
	nop
# %bb.211:                              #   in Loop: Header=BB6_201 Depth=1
	j	$BB6_212
	nop
$BB6_212:                               #   in Loop: Header=BB6_201 Depth=1
	.loc	2 0 10                          # firmware/tengig/main.c:0:10
	addiu	$1, $zero, 1
	.loc	2 139 10                        # firmware/tengig/main.c:139:10
	bnez	$1, $BB6_215
	nop
# %bb.213:                              #   in Loop: Header=BB6_201 Depth=1
	j	$BB6_214
	nop
$BB6_214:                               #   in Loop: Header=BB6_201 Depth=1
	lw	$6, 28($fp)                     # 4-byte Folded Reload
	lw	$5, 24($fp)                     # 4-byte Folded Reload
	lui	$1, %hi($__unnamed_87)
	addiu	$4, $1, %lo($__unnamed_87)
	jal	__ubsan_handle_pointer_overflow
	nop
	j	$BB6_215
	nop
$BB6_215:                               #   in Loop: Header=BB6_201 Depth=1
	lw	$1, 32($fp)                     # 4-byte Folded Reload
	move	$2, $1
	sw	$2, 16($fp)                     # 4-byte Folded Spill
	andi	$2, $1, 3
	sw	$2, 20($fp)                     # 4-byte Folded Spill
	beqz	$1, $BB6_219
	nop
# %bb.216:                              #   in Loop: Header=BB6_201 Depth=1
	j	$BB6_217
	nop
$BB6_217:                               #   in Loop: Header=BB6_201 Depth=1
	lw	$1, 20($fp)                     # 4-byte Folded Reload
	beqz	$1, $BB6_220
	nop
# %bb.218:                              #   in Loop: Header=BB6_201 Depth=1
	j	$BB6_219
	nop
$BB6_219:                               #   in Loop: Header=BB6_201 Depth=1
	lw	$5, 16($fp)                     # 4-byte Folded Reload
	lui	$1, %hi($__unnamed_88)
	addiu	$4, $1, %lo($__unnamed_88)
	jal	__ubsan_handle_type_mismatch_v1
	nop
	j	$BB6_220
	nop
$BB6_220:                               #   in Loop: Header=BB6_201 Depth=1
	lw	$1, 40($fp)                     # 4-byte Folded Reload
	lw	$2, 32($fp)                     # 4-byte Folded Reload
	lw	$2, 0($2)
	.loc	2 139 22                        # firmware/tengig/main.c:139:22
	sw	$1, 0($2)
	.loc	2 139 9                         # firmware/tengig/main.c:139:9
	j	$BB6_221
	nop
$BB6_221:                               #   in Loop: Header=BB6_201 Depth=1
	.loc	2 138 67 is_stmt 1              # firmware/tengig/main.c:138:67
	lw	$1, 760($fp)
	addiu	$1, $1, 1
	sw	$1, 760($fp)
	.loc	2 138 5 is_stmt 0               # firmware/tengig/main.c:138:5
	j	$BB6_201
	nop
$tmp122:
$BB6_222:
	.loc	2 140 1 is_stmt 1               # firmware/tengig/main.c:140:1
	move	$sp, $fp
	lw	$fp, 1008($sp)                  # 4-byte Folded Reload
	lw	$ra, 1012($sp)                  # 4-byte Folded Reload
	addiu	$sp, $sp, 1016
	jr	$ra
	nop
$tmp123:
	.set	at
	.set	macro
	.set	reorder
	.end	start_counters
$func_end6:
	.size	start_counters, $func_end6-start_counters
	.cfi_endproc
                                        # -- End function
	.p2align	2                               # -- Begin function cycle_count
	.type	cycle_count,@function
	.set	nomicromips
	.set	nomips16
	.ent	cycle_count
cycle_count:                            # @cycle_count
$tmp124:
$func_begin7 = $tmp124
	.file	8 "/work/trees/house" "firmware/architecture/mips/spinach/architecture.h"
	.loc	8 142 0                         # firmware/architecture/mips/spinach/architecture.h:142:0
	.cfi_startproc
	.frame	$fp,16,$ra
	.mask 	0xc0000000,-4
	.fmask	0x00000000,0
	.set	noreorder
	.set	nomacro
	.set	noat
# %bb.0:
	addiu	$sp, $sp, -16
	.cfi_def_cfa_offset 16
	sw	$ra, 12($sp)                    # 4-byte Folded Spill
	sw	$fp, 8($sp)                     # 4-byte Folded Spill
	.cfi_offset 31, -4
	.cfi_offset 30, -8
	move	$fp, $sp
	.cfi_def_cfa_register 30
$tmp125:
	.loc	8 144 5 prologue_end            # firmware/architecture/mips/spinach/architecture.h:144:5
	#APP
	.set	push
	.set	at
	.set	macro
	.set	reorder

	mfc0	$2, $9, 0

	.set	pop
	#NO_APP
	sw	$2, 0($fp)                      # 4-byte Folded Spill
	lw	$1, 0($fp)                      # 4-byte Folded Reload
	sw	$1, 4($fp)
	.loc	8 145 12                        # firmware/architecture/mips/spinach/architecture.h:145:12
	lw	$2, 4($fp)
	.loc	8 145 5 is_stmt 0               # firmware/architecture/mips/spinach/architecture.h:145:5
	move	$sp, $fp
	lw	$fp, 8($sp)                     # 4-byte Folded Reload
	lw	$ra, 12($sp)                    # 4-byte Folded Reload
	addiu	$sp, $sp, 16
	jr	$ra
	nop
$tmp126:
	.set	at
	.set	macro
	.set	reorder
	.end	cycle_count
$func_end7:
	.size	cycle_count, $func_end7-cycle_count
	.cfi_endproc
                                        # -- End function
	.p2align	2                               # -- Begin function start_ring
	.type	start_ring,@function
	.set	nomicromips
	.set	nomips16
	.ent	start_ring
start_ring:                             # @start_ring
$tmp127:
$func_begin8 = $tmp127
	.loc	2 143 0 is_stmt 1               # firmware/tengig/main.c:143:0
	.cfi_startproc
	.frame	$fp,104,$ra
	.mask 	0xc0000000,-4
	.fmask	0x00000000,0
	.set	noreorder
	.set	nomacro
	.set	noat
# %bb.0:
	addiu	$sp, $sp, -104
	.cfi_def_cfa_offset 104
	sw	$ra, 100($sp)                   # 4-byte Folded Spill
	sw	$fp, 96($sp)                    # 4-byte Folded Spill
	.cfi_offset 31, -4
	.cfi_offset 30, -8
	move	$fp, $sp
	.cfi_def_cfa_register 30
	sw	$4, 92($fp)
	sw	$5, 88($fp)
	sw	$6, 84($fp)
	sw	$7, 80($fp)
$tmp128:
	.loc	2 144 23 prologue_end           # firmware/tengig/main.c:144:23
	lw	$1, 88($fp)
	sw	$1, 64($fp)                     # 4-byte Folded Spill
	.loc	2 144 5 is_stmt 0               # firmware/tengig/main.c:144:5
	lw	$1, 92($fp)
	sw	$1, 68($fp)                     # 4-byte Folded Spill
	move	$2, $1
	sw	$2, 72($fp)                     # 4-byte Folded Spill
	.loc	2 144 16                        # firmware/tengig/main.c:144:16
	andi	$2, $1, 3
	sw	$2, 76($fp)                     # 4-byte Folded Spill
	beqz	$1, $BB8_4
	nop
# %bb.1:
	j	$BB8_2
	nop
$BB8_2:
	lw	$1, 76($fp)                     # 4-byte Folded Reload
	beqz	$1, $BB8_5
	nop
# %bb.3:
	j	$BB8_4
	nop
$BB8_4:
	lw	$5, 68($fp)                     # 4-byte Folded Reload
	lui	$1, %hi($__unnamed_89)
	addiu	$4, $1, %lo($__unnamed_89)
	jal	__ubsan_handle_type_mismatch_v1
	nop
	j	$BB8_5
	nop
$BB8_5:
	.loc	2 144 21                        # firmware/tengig/main.c:144:21
	lw	$1, 64($fp)                     # 4-byte Folded Reload
	lw	$2, 72($fp)                     # 4-byte Folded Reload
	sw	$1, 0($2)
	.loc	2 145 26 is_stmt 1              # firmware/tengig/main.c:145:26
	lw	$1, 84($fp)
	sw	$1, 48($fp)                     # 4-byte Folded Spill
	.loc	2 145 5 is_stmt 0               # firmware/tengig/main.c:145:5
	lw	$1, 92($fp)
	sw	$1, 52($fp)                     # 4-byte Folded Spill
	move	$2, $1
	sw	$2, 56($fp)                     # 4-byte Folded Spill
	.loc	2 145 16                        # firmware/tengig/main.c:145:16
	andi	$2, $1, 3
	sw	$2, 60($fp)                     # 4-byte Folded Spill
	beqz	$1, $BB8_9
	nop
# %bb.6:
	j	$BB8_7
	nop
$BB8_7:
	lw	$1, 60($fp)                     # 4-byte Folded Reload
	beqz	$1, $BB8_10
	nop
# %bb.8:
	j	$BB8_9
	nop
$BB8_9:
	lw	$5, 52($fp)                     # 4-byte Folded Reload
	lui	$1, %hi($__unnamed_90)
	addiu	$4, $1, %lo($__unnamed_90)
	jal	__ubsan_handle_type_mismatch_v1
	nop
	j	$BB8_10
	nop
$BB8_10:
	.loc	2 145 24                        # firmware/tengig/main.c:145:24
	lw	$1, 48($fp)                     # 4-byte Folded Reload
	lw	$2, 56($fp)                     # 4-byte Folded Reload
	sw	$1, 4($2)
	.loc	2 146 48 is_stmt 1              # firmware/tengig/main.c:146:48
	lw	$1, 80($fp)
	sw	$1, 32($fp)                     # 4-byte Folded Spill
	.loc	2 146 5 is_stmt 0               # firmware/tengig/main.c:146:5
	lw	$1, 92($fp)
	sw	$1, 36($fp)                     # 4-byte Folded Spill
	move	$2, $1
	sw	$2, 40($fp)                     # 4-byte Folded Spill
	.loc	2 146 16                        # firmware/tengig/main.c:146:16
	andi	$2, $1, 3
	sw	$2, 44($fp)                     # 4-byte Folded Spill
	beqz	$1, $BB8_14
	nop
# %bb.11:
	j	$BB8_12
	nop
$BB8_12:
	lw	$1, 44($fp)                     # 4-byte Folded Reload
	beqz	$1, $BB8_15
	nop
# %bb.13:
	j	$BB8_14
	nop
$BB8_14:
	lw	$5, 36($fp)                     # 4-byte Folded Reload
	lui	$1, %hi($__unnamed_91)
	addiu	$4, $1, %lo($__unnamed_91)
	jal	__ubsan_handle_type_mismatch_v1
	nop
	j	$BB8_15
	nop
$BB8_15:
	.loc	2 146 25                        # firmware/tengig/main.c:146:25
	lw	$1, 32($fp)                     # 4-byte Folded Reload
	lw	$2, 40($fp)                     # 4-byte Folded Reload
	sw	$1, 16($2)
	.loc	2 147 5 is_stmt 1               # firmware/tengig/main.c:147:5
	lw	$1, 92($fp)
	sw	$1, 20($fp)                     # 4-byte Folded Spill
	move	$2, $1
	sw	$2, 24($fp)                     # 4-byte Folded Spill
	.loc	2 147 16 is_stmt 0              # firmware/tengig/main.c:147:16
	andi	$2, $1, 3
	sw	$2, 28($fp)                     # 4-byte Folded Spill
	beqz	$1, $BB8_19
	nop
# %bb.16:
	j	$BB8_17
	nop
$BB8_17:
	lw	$1, 28($fp)                     # 4-byte Folded Reload
	beqz	$1, $BB8_20
	nop
# %bb.18:
	j	$BB8_19
	nop
$BB8_19:
	lw	$5, 20($fp)                     # 4-byte Folded Reload
	lui	$1, %hi($__unnamed_92)
	addiu	$4, $1, %lo($__unnamed_92)
	jal	__ubsan_handle_type_mismatch_v1
	nop
	j	$BB8_20
	nop
$BB8_20:
	.loc	2 0 16                          # firmware/tengig/main.c:0:16
	lw	$2, 24($fp)                     # 4-byte Folded Reload
	addiu	$1, $zero, 1
	.loc	2 147 24                        # firmware/tengig/main.c:147:24
	sw	$1, 20($2)
	.loc	2 148 1 is_stmt 1               # firmware/tengig/main.c:148:1
	move	$sp, $fp
	lw	$fp, 96($sp)                    # 4-byte Folded Reload
	lw	$ra, 100($sp)                   # 4-byte Folded Reload
	addiu	$sp, $sp, 104
	jr	$ra
	nop
$tmp129:
	.set	at
	.set	macro
	.set	reorder
	.end	start_ring
$func_end8:
	.size	start_ring, $func_end8-start_ring
	.cfi_endproc
                                        # -- End function
	.p2align	2                               # -- Begin function compiler_barrier
	.type	compiler_barrier,@function
	.set	nomicromips
	.set	nomips16
	.ent	compiler_barrier
compiler_barrier:                       # @compiler_barrier
$tmp130:
$func_begin9 = $tmp130
	.loc	7 25 0                          # firmware/include/spinach/intrinsics.h:25:0
	.cfi_startproc
	.frame	$fp,8,$ra
	.mask 	0xc0000000,-4
	.fmask	0x00000000,0
	.set	noreorder
	.set	nomacro
	.set	noat
# %bb.0:
	addiu	$sp, $sp, -8
	.cfi_def_cfa_offset 8
	sw	$ra, 4($sp)                     # 4-byte Folded Spill
	sw	$fp, 0($sp)                     # 4-byte Folded Spill
	.cfi_offset 31, -4
	.cfi_offset 30, -8
	move	$fp, $sp
	.cfi_def_cfa_register 30
$tmp131:
	.loc	7 26 5 prologue_end             # firmware/include/spinach/intrinsics.h:26:5
	#APP
	#NO_APP
	.loc	7 27 1                          # firmware/include/spinach/intrinsics.h:27:1
	move	$sp, $fp
	lw	$fp, 0($sp)                     # 4-byte Folded Reload
	lw	$ra, 4($sp)                     # 4-byte Folded Reload
	addiu	$sp, $sp, 8
	jr	$ra
	nop
$tmp132:
	.set	at
	.set	macro
	.set	reorder
	.end	compiler_barrier
$func_end9:
	.size	compiler_barrier, $func_end9-compiler_barrier
	.cfi_endproc
                                        # -- End function
	.p2align	2                               # -- Begin function reads_are_done
	.type	reads_are_done,@function
	.set	nomicromips
	.set	nomips16
	.ent	reads_are_done
reads_are_done:                         # @reads_are_done
$tmp133:
$func_begin10 = $tmp133
	.loc	2 26 0                          # firmware/tengig/main.c:26:0
	.cfi_startproc
	.frame	$fp,96,$ra
	.mask 	0xc0000000,-4
	.fmask	0x00000000,0
	.set	noreorder
	.set	nomacro
	.set	noat
# %bb.0:
	addiu	$sp, $sp, -96
	.cfi_def_cfa_offset 96
	sw	$ra, 92($sp)                    # 4-byte Folded Spill
	sw	$fp, 88($sp)                    # 4-byte Folded Spill
	.cfi_offset 31, -4
	.cfi_offset 30, -8
	move	$fp, $sp
	.cfi_def_cfa_register 30
	addiu	$2, $zero, 64
$tmp134:
	.loc	4 145 5 prologue_end            # firmware/include/tengig/state.h:145:5 @[ firmware/tengig/main.c:26:50 ]
	#APP
	#NO_APP
	sw	$2, 64($fp)                     # 4-byte Folded Spill
	lw	$1, 64($fp)                     # 4-byte Folded Reload
	sw	$1, 84($fp)
	.loc	4 146 12                        # firmware/include/tengig/state.h:146:12 @[ firmware/tengig/main.c:26:50 ]
	lw	$1, 84($fp)
	sw	$1, 68($fp)                     # 4-byte Folded Spill
	move	$2, $1
	sw	$2, 72($fp)                     # 4-byte Folded Spill
$tmp135:
	.loc	2 26 55                         # firmware/tengig/main.c:26:55
	andi	$2, $1, 3
	sw	$2, 76($fp)                     # 4-byte Folded Spill
	beqz	$1, $BB10_4
	nop
# %bb.1:
	j	$BB10_2
	nop
$BB10_2:
	lw	$1, 76($fp)                     # 4-byte Folded Reload
	beqz	$1, $BB10_5
	nop
# %bb.3:
	j	$BB10_4
	nop
$BB10_4:
	lw	$5, 68($fp)                     # 4-byte Folded Reload
	lui	$1, %hi($__unnamed_93)
	addiu	$4, $1, %lo($__unnamed_93)
	jal	__ubsan_handle_type_mismatch_v1
	nop
	j	$BB10_5
	nop
$BB10_5:
	lw	$1, 72($fp)                     # 4-byte Folded Reload
	move	$2, $1
	sw	$2, 52($fp)                     # 4-byte Folded Spill
	.loc	2 26 65 is_stmt 0               # firmware/tengig/main.c:26:65
	move	$2, $1
	sw	$2, 56($fp)                     # 4-byte Folded Spill
	andi	$2, $1, 3
	sw	$2, 60($fp)                     # 4-byte Folded Spill
	beqz	$1, $BB10_9
	nop
# %bb.6:
	j	$BB10_7
	nop
$BB10_7:
	lw	$1, 60($fp)                     # 4-byte Folded Reload
	beqz	$1, $BB10_10
	nop
# %bb.8:
	j	$BB10_9
	nop
$BB10_9:
	lw	$5, 56($fp)                     # 4-byte Folded Reload
	lui	$1, %hi($__unnamed_94)
	addiu	$4, $1, %lo($__unnamed_94)
	jal	__ubsan_handle_type_mismatch_v1
	nop
	j	$BB10_10
	nop
$BB10_10:
	lw	$1, 52($fp)                     # 4-byte Folded Reload
	lw	$1, 8($1)
	sw	$1, 32($fp)                     # 4-byte Folded Spill
	addiu	$2, $zero, 64
$tmp136:
	.loc	4 145 5 is_stmt 1               # firmware/include/tengig/state.h:145:5 @[ firmware/tengig/main.c:26:83 ]
	#APP
	#NO_APP
	sw	$2, 36($fp)                     # 4-byte Folded Spill
	lw	$1, 36($fp)                     # 4-byte Folded Reload
	sw	$1, 80($fp)
	.loc	4 146 12                        # firmware/include/tengig/state.h:146:12 @[ firmware/tengig/main.c:26:83 ]
	lw	$1, 80($fp)
	sw	$1, 40($fp)                     # 4-byte Folded Spill
	move	$2, $1
	sw	$2, 44($fp)                     # 4-byte Folded Spill
$tmp137:
	.loc	2 26 88                         # firmware/tengig/main.c:26:88
	andi	$2, $1, 3
	sw	$2, 48($fp)                     # 4-byte Folded Spill
	beqz	$1, $BB10_14
	nop
# %bb.11:
	j	$BB10_12
	nop
$BB10_12:
	lw	$1, 48($fp)                     # 4-byte Folded Reload
	beqz	$1, $BB10_15
	nop
# %bb.13:
	j	$BB10_14
	nop
$BB10_14:
	lw	$5, 40($fp)                     # 4-byte Folded Reload
	lui	$1, %hi($__unnamed_95)
	addiu	$4, $1, %lo($__unnamed_95)
	jal	__ubsan_handle_type_mismatch_v1
	nop
	j	$BB10_15
	nop
$BB10_15:
	lw	$1, 44($fp)                     # 4-byte Folded Reload
	addiu	$1, $1, 180
	sw	$1, 20($fp)                     # 4-byte Folded Spill
	move	$2, $1
	sw	$2, 24($fp)                     # 4-byte Folded Spill
	.loc	2 26 94 is_stmt 0               # firmware/tengig/main.c:26:94
	andi	$2, $1, 3
	sw	$2, 28($fp)                     # 4-byte Folded Spill
	beqz	$1, $BB10_19
	nop
# %bb.16:
	j	$BB10_17
	nop
$BB10_17:
	lw	$1, 28($fp)                     # 4-byte Folded Reload
	beqz	$1, $BB10_20
	nop
# %bb.18:
	j	$BB10_19
	nop
$BB10_19:
	lw	$5, 20($fp)                     # 4-byte Folded Reload
	lui	$1, %hi($__unnamed_96)
	addiu	$4, $1, %lo($__unnamed_96)
	jal	__ubsan_handle_type_mismatch_v1
	nop
	j	$BB10_20
	nop
$BB10_20:
	lw	$1, 32($fp)                     # 4-byte Folded Reload
	lw	$2, 24($fp)                     # 4-byte Folded Reload
	lw	$2, 16($2)
	.loc	2 26 80                         # firmware/tengig/main.c:26:80
	xor	$1, $1, $2
	sltu	$2, $zero, $1
	.loc	2 26 43                         # firmware/tengig/main.c:26:43
	move	$sp, $fp
	lw	$fp, 88($sp)                    # 4-byte Folded Reload
	lw	$ra, 92($sp)                    # 4-byte Folded Reload
	addiu	$sp, $sp, 96
	jr	$ra
	nop
$tmp138:
	.set	at
	.set	macro
	.set	reorder
	.end	reads_are_done
$func_end10:
	.size	reads_are_done, $func_end10-reads_are_done
	.cfi_endproc
                                        # -- End function
	.p2align	2                               # -- Begin function claim
	.type	claim,@function
	.set	nomicromips
	.set	nomips16
	.ent	claim
claim:                                  # @claim
$tmp139:
$func_begin11 = $tmp139
	.file	9 "/work/trees/house" "firmware/include/tengig/locks.h"
	.loc	9 28 0 is_stmt 1                # firmware/include/tengig/locks.h:28:0
	.cfi_startproc
	.frame	$fp,72,$ra
	.mask 	0xc0000000,-4
	.fmask	0x00000000,0
	.set	noreorder
	.set	nomacro
	.set	noat
# %bb.0:
	addiu	$sp, $sp, -72
	.cfi_def_cfa_offset 72
	sw	$ra, 68($sp)                    # 4-byte Folded Spill
	sw	$fp, 64($sp)                    # 4-byte Folded Spill
	.cfi_offset 31, -4
	.cfi_offset 30, -8
	move	$fp, $sp
	.cfi_def_cfa_register 30
	sw	$4, 56($fp)
	sw	$5, 52($fp)
	sw	$6, 48($fp)
	sw	$7, 44($fp)
$tmp140:
	.loc	9 29 34 prologue_end            # firmware/include/tengig/locks.h:29:34
	lw	$4, 56($fp)
	.loc	9 29 22 is_stmt 0               # firmware/include/tengig/locks.h:29:22
	jal	load_linked
	nop
	.loc	9 29 14                         # firmware/include/tengig/locks.h:29:14
	sw	$2, 40($fp)
	.loc	9 30 23 is_stmt 1               # firmware/include/tengig/locks.h:30:23
	lw	$1, 52($fp)
	.loc	9 30 22 is_stmt 0               # firmware/include/tengig/locks.h:30:22
	lw	$1, 0($1)
	.loc	9 30 30                         # firmware/include/tengig/locks.h:30:30
	lw	$2, 40($fp)
	.loc	9 30 28                         # firmware/include/tengig/locks.h:30:28
	subu	$1, $1, $2
	.loc	9 30 14                         # firmware/include/tengig/locks.h:30:14
	sw	$1, 36($fp)
$tmp141:
	.loc	9 31 9 is_stmt 1                # firmware/include/tengig/locks.h:31:9
	lw	$1, 36($fp)
	.loc	9 31 15 is_stmt 0               # firmware/include/tengig/locks.h:31:15
	bnez	$1, $BB11_3
	nop
# %bb.1:
	j	$BB11_2
	nop
$BB11_2:
	.loc	9 32 9 is_stmt 1                # firmware/include/tengig/locks.h:32:9
	sw	$zero, 60($fp)
	j	$BB11_16
	nop
$tmp142:
$BB11_3:
	.loc	9 33 9                          # firmware/include/tengig/locks.h:33:9
	lw	$2, 36($fp)
	.loc	9 33 17 is_stmt 0               # firmware/include/tengig/locks.h:33:17
	lw	$1, 48($fp)
	.loc	9 33 15                         # firmware/include/tengig/locks.h:33:15
	sltu	$1, $1, $2
	beqz	$1, $BB11_6
	nop
# %bb.4:
	j	$BB11_5
	nop
$BB11_5:
	.loc	9 34 17 is_stmt 1               # firmware/include/tengig/locks.h:34:17
	lw	$1, 48($fp)
	.loc	9 34 15 is_stmt 0               # firmware/include/tengig/locks.h:34:15
	sw	$1, 36($fp)
	.loc	9 34 9                          # firmware/include/tengig/locks.h:34:9
	j	$BB11_6
	nop
$tmp143:
$BB11_6:
	.loc	9 35 14 is_stmt 1               # firmware/include/tengig/locks.h:35:14
	lw	$1, 40($fp)
	sw	$1, 20($fp)                     # 4-byte Folded Spill
	.loc	9 35 6 is_stmt 0                # firmware/include/tengig/locks.h:35:6
	lw	$1, 44($fp)
	sw	$1, 24($fp)                     # 4-byte Folded Spill
	move	$2, $1
	sw	$2, 28($fp)                     # 4-byte Folded Spill
	.loc	9 35 12                         # firmware/include/tengig/locks.h:35:12
	andi	$2, $1, 3
	sw	$2, 32($fp)                     # 4-byte Folded Spill
	beqz	$1, $BB11_10
	nop
# %bb.7:
	j	$BB11_8
	nop
$BB11_8:
	lw	$1, 32($fp)                     # 4-byte Folded Reload
	beqz	$1, $BB11_11
	nop
# %bb.9:
	j	$BB11_10
	nop
$BB11_10:
	lw	$5, 24($fp)                     # 4-byte Folded Reload
	lui	$1, %hi($__unnamed_97)
	addiu	$4, $1, %lo($__unnamed_97)
	jal	__ubsan_handle_type_mismatch_v1
	nop
	j	$BB11_11
	nop
$BB11_11:
	lw	$1, 20($fp)                     # 4-byte Folded Reload
	lw	$2, 28($fp)                     # 4-byte Folded Reload
	sw	$1, 0($2)
	.loc	9 36 30 is_stmt 1               # firmware/include/tengig/locks.h:36:30
	lw	$4, 56($fp)
	.loc	9 36 39 is_stmt 0               # firmware/include/tengig/locks.h:36:39
	lw	$1, 40($fp)
	.loc	9 36 47                         # firmware/include/tengig/locks.h:36:47
	lw	$2, 36($fp)
	.loc	9 36 45                         # firmware/include/tengig/locks.h:36:45
	addu	$5, $1, $2
	.loc	9 36 12                         # firmware/include/tengig/locks.h:36:12
	jal	store_conditional
	nop
	beqz	$2, $BB11_14
	nop
# %bb.12:
	j	$BB11_13
	nop
$BB11_13:
	.loc	9 36 56                         # firmware/include/tengig/locks.h:36:56
	lw	$1, 36($fp)
	sw	$1, 16($fp)                     # 4-byte Folded Spill
	.loc	9 36 12                         # firmware/include/tengig/locks.h:36:12
	j	$BB11_15
	nop
$BB11_14:
	.loc	9 0 12                          # firmware/include/tengig/locks.h:0:12
	addiu	$1, $zero, 0
	sw	$1, 16($fp)                     # 4-byte Folded Spill
	.loc	9 36 12                         # firmware/include/tengig/locks.h:36:12
	j	$BB11_15
	nop
$BB11_15:
	lw	$1, 16($fp)                     # 4-byte Folded Reload
	.loc	9 36 5                          # firmware/include/tengig/locks.h:36:5
	sw	$1, 60($fp)
	j	$BB11_16
	nop
$BB11_16:
	.loc	9 37 1 is_stmt 1                # firmware/include/tengig/locks.h:37:1
	lw	$2, 60($fp)
	move	$sp, $fp
	lw	$fp, 64($sp)                    # 4-byte Folded Reload
	lw	$ra, 68($sp)                    # 4-byte Folded Reload
	addiu	$sp, $sp, 72
	jr	$ra
	nop
$tmp144:
	.set	at
	.set	macro
	.set	reorder
	.end	claim
$func_end11:
	.size	claim, $func_end11-claim
	.cfi_endproc
                                        # -- End function
	.p2align	2                               # -- Begin function frames_can_be_committed
	.type	frames_can_be_committed,@function
	.set	nomicromips
	.set	nomips16
	.ent	frames_can_be_committed
frames_can_be_committed:                # @frames_can_be_committed
$tmp145:
$func_begin12 = $tmp145
	.loc	2 29 0                          # firmware/tengig/main.c:29:0
	.cfi_startproc
	.frame	$fp,72,$ra
	.mask 	0xc0000000,-4
	.fmask	0x00000000,0
	.set	noreorder
	.set	nomacro
	.set	noat
# %bb.0:
	addiu	$sp, $sp, -72
	.cfi_def_cfa_offset 72
	sw	$ra, 68($sp)                    # 4-byte Folded Spill
	sw	$fp, 64($sp)                    # 4-byte Folded Spill
	.cfi_offset 31, -4
	.cfi_offset 30, -8
	move	$fp, $sp
	.cfi_def_cfa_register 30
	addiu	$2, $zero, 64
$tmp146:
	.loc	4 145 5 prologue_end            # firmware/include/tengig/state.h:145:5 @[ firmware/tengig/main.c:29:72 ]
	#APP
	#NO_APP
	sw	$2, 40($fp)                     # 4-byte Folded Spill
	lw	$1, 40($fp)                     # 4-byte Folded Reload
	sw	$1, 60($fp)
	.loc	4 146 12                        # firmware/include/tengig/state.h:146:12 @[ firmware/tengig/main.c:29:72 ]
	lw	$1, 60($fp)
	sw	$1, 44($fp)                     # 4-byte Folded Spill
	move	$2, $1
	sw	$2, 48($fp)                     # 4-byte Folded Spill
$tmp147:
	.loc	2 29 77                         # firmware/tengig/main.c:29:77
	andi	$2, $1, 3
	sw	$2, 52($fp)                     # 4-byte Folded Spill
	beqz	$1, $BB12_4
	nop
# %bb.1:
	j	$BB12_2
	nop
$BB12_2:
	lw	$1, 52($fp)                     # 4-byte Folded Reload
	beqz	$1, $BB12_5
	nop
# %bb.3:
	j	$BB12_4
	nop
$BB12_4:
	lw	$5, 44($fp)                     # 4-byte Folded Reload
	lui	$1, %hi($__unnamed_98)
	addiu	$4, $1, %lo($__unnamed_98)
	jal	__ubsan_handle_type_mismatch_v1
	nop
	j	$BB12_5
	nop
$BB12_5:
	lw	$1, 48($fp)                     # 4-byte Folded Reload
	addiu	$1, $1, 2820
	sw	$1, 20($fp)                     # 4-byte Folded Spill
	addiu	$2, $zero, 64
$tmp148:
	.loc	4 145 5                         # firmware/include/tengig/state.h:145:5 @[ firmware/tengig/main.c:29:93 ]
	#APP
	#NO_APP
	sw	$2, 24($fp)                     # 4-byte Folded Spill
	lw	$1, 24($fp)                     # 4-byte Folded Reload
	sw	$1, 56($fp)
	.loc	4 146 12                        # firmware/include/tengig/state.h:146:12 @[ firmware/tengig/main.c:29:93 ]
	lw	$1, 56($fp)
	sw	$1, 28($fp)                     # 4-byte Folded Spill
	move	$2, $1
	sw	$2, 32($fp)                     # 4-byte Folded Spill
$tmp149:
	.loc	2 29 98                         # firmware/tengig/main.c:29:98
	andi	$2, $1, 3
	sw	$2, 36($fp)                     # 4-byte Folded Spill
	beqz	$1, $BB12_9
	nop
# %bb.6:
	j	$BB12_7
	nop
$BB12_7:
	lw	$1, 36($fp)                     # 4-byte Folded Reload
	beqz	$1, $BB12_10
	nop
# %bb.8:
	j	$BB12_9
	nop
$BB12_9:
	lw	$5, 28($fp)                     # 4-byte Folded Reload
	lui	$1, %hi($__unnamed_99)
	addiu	$4, $1, %lo($__unnamed_99)
	jal	__ubsan_handle_type_mismatch_v1
	nop
	j	$BB12_10
	nop
$BB12_10:
	lw	$4, 20($fp)                     # 4-byte Folded Reload
	lw	$1, 32($fp)                     # 4-byte Folded Reload
	lw	$5, 128($1)
	.loc	2 29 59 is_stmt 0               # firmware/tengig/main.c:29:59
	jal	flag_is_set
	nop
	.loc	2 29 52                         # firmware/tengig/main.c:29:52
	move	$sp, $fp
	lw	$fp, 64($sp)                    # 4-byte Folded Reload
	lw	$ra, 68($sp)                    # 4-byte Folded Reload
	addiu	$sp, $sp, 72
	jr	$ra
	nop
$tmp150:
	.set	at
	.set	macro
	.set	reorder
	.end	frames_can_be_committed
$func_end12:
	.size	frames_can_be_committed, $func_end12-frames_can_be_committed
	.cfi_endproc
                                        # -- End function
	.p2align	2                               # -- Begin function frames_can_be_fetched
	.type	frames_can_be_fetched,@function
	.set	nomicromips
	.set	nomips16
	.ent	frames_can_be_fetched
frames_can_be_fetched:                  # @frames_can_be_fetched
$tmp151:
$func_begin13 = $tmp151
	.loc	2 57 0 is_stmt 1                # firmware/tengig/main.c:57:0
	.cfi_startproc
	.frame	$fp,136,$ra
	.mask 	0xc0000000,-4
	.fmask	0x00000000,0
	.set	noreorder
	.set	nomacro
	.set	noat
# %bb.0:
	addiu	$sp, $sp, -136
	.cfi_def_cfa_offset 136
	sw	$ra, 132($sp)                   # 4-byte Folded Spill
	sw	$fp, 128($sp)                   # 4-byte Folded Spill
	.cfi_offset 31, -4
	.cfi_offset 30, -8
	move	$fp, $sp
	.cfi_def_cfa_register 30
	addiu	$2, $zero, 64
$tmp152:
	.loc	4 145 5 prologue_end            # firmware/include/tengig/state.h:145:5 @[ firmware/tengig/main.c:58:12 ]
	#APP
	#NO_APP
	sw	$2, 96($fp)                     # 4-byte Folded Spill
	lw	$1, 96($fp)                     # 4-byte Folded Reload
	sw	$1, 124($fp)
	.loc	4 146 12                        # firmware/include/tengig/state.h:146:12 @[ firmware/tengig/main.c:58:12 ]
	lw	$1, 124($fp)
	sw	$1, 100($fp)                    # 4-byte Folded Spill
	move	$2, $1
	sw	$2, 104($fp)                    # 4-byte Folded Spill
$tmp153:
	.loc	2 58 17                         # firmware/tengig/main.c:58:17
	andi	$2, $1, 3
	sw	$2, 108($fp)                    # 4-byte Folded Spill
	beqz	$1, $BB13_4
	nop
# %bb.1:
	j	$BB13_2
	nop
$BB13_2:
	lw	$1, 108($fp)                    # 4-byte Folded Reload
	beqz	$1, $BB13_5
	nop
# %bb.3:
	j	$BB13_4
	nop
$BB13_4:
	lw	$5, 100($fp)                    # 4-byte Folded Reload
	lui	$1, %hi($__unnamed_100)
	addiu	$4, $1, %lo($__unnamed_100)
	jal	__ubsan_handle_type_mismatch_v1
	nop
	j	$BB13_5
	nop
$BB13_5:
	lw	$1, 104($fp)                    # 4-byte Folded Reload
	lw	$1, 120($1)
	sw	$1, 76($fp)                     # 4-byte Folded Spill
	addiu	$2, $zero, 64
$tmp154:
	.loc	4 145 5                         # firmware/include/tengig/state.h:145:5 @[ firmware/tengig/main.c:58:36 ]
	#APP
	#NO_APP
	sw	$2, 80($fp)                     # 4-byte Folded Spill
	lw	$1, 80($fp)                     # 4-byte Folded Reload
	sw	$1, 120($fp)
	.loc	4 146 12                        # firmware/include/tengig/state.h:146:12 @[ firmware/tengig/main.c:58:36 ]
	lw	$1, 120($fp)
	sw	$1, 84($fp)                     # 4-byte Folded Spill
	move	$2, $1
	sw	$2, 88($fp)                     # 4-byte Folded Spill
$tmp155:
	.loc	2 58 41                         # firmware/tengig/main.c:58:41
	andi	$2, $1, 3
	sw	$2, 92($fp)                     # 4-byte Folded Spill
	beqz	$1, $BB13_9
	nop
# %bb.6:
	j	$BB13_7
	nop
$BB13_7:
	lw	$1, 92($fp)                     # 4-byte Folded Reload
	beqz	$1, $BB13_10
	nop
# %bb.8:
	j	$BB13_9
	nop
$BB13_9:
	lw	$5, 84($fp)                     # 4-byte Folded Reload
	lui	$1, %hi($__unnamed_101)
	addiu	$4, $1, %lo($__unnamed_101)
	jal	__ubsan_handle_type_mismatch_v1
	nop
	j	$BB13_10
	nop
$BB13_10:
	lw	$1, 76($fp)                     # 4-byte Folded Reload
	lw	$2, 88($fp)                     # 4-byte Folded Reload
	lw	$2, 116($2)
	addiu	$3, $zero, 1
	sw	$3, 72($fp)                     # 4-byte Folded Spill
	.loc	2 58 57 is_stmt 0               # firmware/tengig/main.c:58:57
	bne	$1, $2, $BB13_38
	nop
# %bb.11:
	j	$BB13_12
	nop
$BB13_12:
	.loc	2 0 57                          # firmware/tengig/main.c:0:57
	addiu	$2, $zero, 64
$tmp156:
	.loc	4 145 5 is_stmt 1               # firmware/include/tengig/state.h:145:5 @[ firmware/tengig/main.c:59:12 ]
	#APP
	#NO_APP
	sw	$2, 56($fp)                     # 4-byte Folded Spill
	lw	$1, 56($fp)                     # 4-byte Folded Reload
	sw	$1, 116($fp)
	.loc	4 146 12                        # firmware/include/tengig/state.h:146:12 @[ firmware/tengig/main.c:59:12 ]
	lw	$1, 116($fp)
	sw	$1, 60($fp)                     # 4-byte Folded Spill
	move	$2, $1
	sw	$2, 64($fp)                     # 4-byte Folded Spill
$tmp157:
	.loc	2 59 17                         # firmware/tengig/main.c:59:17
	andi	$2, $1, 3
	sw	$2, 68($fp)                     # 4-byte Folded Spill
	beqz	$1, $BB13_16
	nop
# %bb.13:
	j	$BB13_14
	nop
$BB13_14:
	lw	$1, 68($fp)                     # 4-byte Folded Reload
	beqz	$1, $BB13_17
	nop
# %bb.15:
	j	$BB13_16
	nop
$BB13_16:
	lw	$5, 60($fp)                     # 4-byte Folded Reload
	lui	$1, %hi($__unnamed_102)
	addiu	$4, $1, %lo($__unnamed_102)
	jal	__ubsan_handle_type_mismatch_v1
	nop
	j	$BB13_17
	nop
$BB13_17:
	lw	$1, 64($fp)                     # 4-byte Folded Reload
	addiu	$1, $1, 3332
	sw	$1, 36($fp)                     # 4-byte Folded Spill
	addiu	$2, $zero, 64
$tmp158:
	.loc	4 145 5                         # firmware/include/tengig/state.h:145:5 @[ firmware/tengig/main.c:59:34 ]
	#APP
	#NO_APP
	sw	$2, 40($fp)                     # 4-byte Folded Spill
	lw	$1, 40($fp)                     # 4-byte Folded Reload
	sw	$1, 112($fp)
	.loc	4 146 12                        # firmware/include/tengig/state.h:146:12 @[ firmware/tengig/main.c:59:34 ]
	lw	$1, 112($fp)
	sw	$1, 44($fp)                     # 4-byte Folded Spill
	move	$2, $1
	sw	$2, 48($fp)                     # 4-byte Folded Spill
$tmp159:
	.loc	2 59 39                         # firmware/tengig/main.c:59:39
	andi	$2, $1, 3
	sw	$2, 52($fp)                     # 4-byte Folded Spill
	beqz	$1, $BB13_21
	nop
# %bb.18:
	j	$BB13_19
	nop
$BB13_19:
	lw	$1, 52($fp)                     # 4-byte Folded Reload
	beqz	$1, $BB13_22
	nop
# %bb.20:
	j	$BB13_21
	nop
$BB13_21:
	lw	$5, 44($fp)                     # 4-byte Folded Reload
	lui	$1, %hi($__unnamed_103)
	addiu	$4, $1, %lo($__unnamed_103)
	jal	__ubsan_handle_type_mismatch_v1
	nop
	j	$BB13_22
	nop
$BB13_22:
	lw	$1, 48($fp)                     # 4-byte Folded Reload
	lw	$1, 112($1)
	sw	$1, 32($fp)                     # 4-byte Folded Spill
	addiu	$1, $zero, 1
	.loc	2 59 59 is_stmt 0               # firmware/tengig/main.c:59:59
	bnez	$1, $BB13_25
	nop
# %bb.23:
	j	$BB13_24
	nop
$BB13_24:
	lw	$5, 32($fp)                     # 4-byte Folded Reload
	lui	$1, %hi($__unnamed_104)
	addiu	$4, $1, %lo($__unnamed_104)
	addiu	$6, $zero, 16
	jal	__ubsan_handle_divrem_overflow
	nop
	j	$BB13_25
	nop
$BB13_25:
	lw	$1, 32($fp)                     # 4-byte Folded Reload
	andi	$1, $1, 15
	sw	$1, 28($fp)                     # 4-byte Folded Spill
	.loc	2 59 12                         # firmware/tengig/main.c:59:12
	sltiu	$1, $1, 16
	bnez	$1, $BB13_28
	nop
# %bb.26:
	j	$BB13_27
	nop
$BB13_27:
	lw	$5, 28($fp)                     # 4-byte Folded Reload
	lui	$1, %hi($__unnamed_105)
	addiu	$4, $1, %lo($__unnamed_105)
	jal	__ubsan_handle_out_of_bounds
	nop
	j	$BB13_28
	nop
$BB13_28:
	lw	$1, 36($fp)                     # 4-byte Folded Reload
	lw	$2, 28($fp)                     # 4-byte Folded Reload
	addu	$2, $1, $2
	sw	$2, 16($fp)                     # 4-byte Folded Spill
	move	$3, $2
	sw	$3, 20($fp)                     # 4-byte Folded Spill
	move	$3, $1
	sw	$3, 24($fp)                     # 4-byte Folded Spill
	sltu	$1, $zero, $1
	sltu	$2, $zero, $2
	addiu	$3, $zero, 0
	bne	$1, $2, $BB13_36
	nop
# %bb.29:
	j	$BB13_30
	nop
$BB13_30:
	lw	$1, 16($fp)                     # 4-byte Folded Reload
	lw	$2, 24($fp)                     # 4-byte Folded Reload
	sltu	$1, $1, $2
	bnez	$1, $BB13_36
	nop
# %bb.31:
	j	$BB13_32
	nop
$BB13_32:
	.loc	2 0 12                          # firmware/tengig/main.c:0:12
	andi	$1, $zero, 1
	.loc	2 59 12                         # firmware/tengig/main.c:59:12
	bnez	$1, $BB13_36
	nop
# %bb.33:
	j	$BB13_34
	nop
$BB13_34:
	.loc	2 0 12                          # firmware/tengig/main.c:0:12
	addiu	$1, $zero, 1
	.loc	2 59 12                         # firmware/tengig/main.c:59:12
	bnez	$1, $BB13_37
	nop
# %bb.35:
	j	$BB13_36
	nop
$BB13_36:
	lw	$6, 16($fp)                     # 4-byte Folded Reload
	lw	$5, 24($fp)                     # 4-byte Folded Reload
	lui	$1, %hi($__unnamed_106)
	addiu	$4, $1, %lo($__unnamed_106)
	jal	__ubsan_handle_pointer_overflow
	nop
	j	$BB13_37
	nop
$BB13_37:
	lw	$1, 20($fp)                     # 4-byte Folded Reload
	lbu	$1, 0($1)
	.loc	2 58 57 is_stmt 1               # firmware/tengig/main.c:58:57
	sltu	$1, $zero, $1
	sw	$1, 72($fp)                     # 4-byte Folded Spill
	j	$BB13_38
	nop
$BB13_38:
	.loc	2 0 57 is_stmt 0                # firmware/tengig/main.c:0:57
	lw	$1, 72($fp)                     # 4-byte Folded Reload
	.loc	2 58 5                          # firmware/tengig/main.c:58:5
	andi	$2, $1, 1
	move	$sp, $fp
	lw	$fp, 128($sp)                   # 4-byte Folded Reload
	lw	$ra, 132($sp)                   # 4-byte Folded Reload
	addiu	$sp, $sp, 136
	jr	$ra
	nop
$tmp160:
	.set	at
	.set	macro
	.set	reorder
	.end	frames_can_be_fetched
$func_end13:
	.size	frames_can_be_fetched, $func_end13-frames_can_be_fetched
	.cfi_endproc
                                        # -- End function
	.p2align	2                               # -- Begin function reads_can_be_published
	.type	reads_can_be_published,@function
	.set	nomicromips
	.set	nomips16
	.ent	reads_can_be_published
reads_can_be_published:                 # @reads_can_be_published
$tmp161:
$func_begin14 = $tmp161
	.loc	2 36 0 is_stmt 1                # firmware/tengig/main.c:36:0
	.cfi_startproc
	.frame	$fp,48,$ra
	.mask 	0xc0000000,-4
	.fmask	0x00000000,0
	.set	noreorder
	.set	nomacro
	.set	noat
# %bb.0:
	addiu	$sp, $sp, -48
	.cfi_def_cfa_offset 48
	sw	$ra, 44($sp)                    # 4-byte Folded Spill
	sw	$fp, 40($sp)                    # 4-byte Folded Spill
	.cfi_offset 31, -4
	.cfi_offset 30, -8
	move	$fp, $sp
	.cfi_def_cfa_register 30
	addiu	$2, $zero, 64
$tmp162:
	.loc	4 145 5 prologue_end            # firmware/include/tengig/state.h:145:5 @[ firmware/tengig/main.c:36:75 ]
	#APP
	#NO_APP
	sw	$2, 20($fp)                     # 4-byte Folded Spill
	lw	$1, 20($fp)                     # 4-byte Folded Reload
	sw	$1, 36($fp)
	.loc	4 146 12                        # firmware/include/tengig/state.h:146:12 @[ firmware/tengig/main.c:36:75 ]
	lw	$1, 36($fp)
	sw	$1, 24($fp)                     # 4-byte Folded Spill
	move	$2, $1
	sw	$2, 28($fp)                     # 4-byte Folded Spill
$tmp163:
	.loc	2 36 80                         # firmware/tengig/main.c:36:80
	andi	$2, $1, 3
	sw	$2, 32($fp)                     # 4-byte Folded Spill
	beqz	$1, $BB14_4
	nop
# %bb.1:
	j	$BB14_2
	nop
$BB14_2:
	lw	$1, 32($fp)                     # 4-byte Folded Reload
	beqz	$1, $BB14_5
	nop
# %bb.3:
	j	$BB14_4
	nop
$BB14_4:
	lw	$5, 24($fp)                     # 4-byte Folded Reload
	lui	$1, %hi($__unnamed_107)
	addiu	$4, $1, %lo($__unnamed_107)
	jal	__ubsan_handle_type_mismatch_v1
	nop
	j	$BB14_5
	nop
$BB14_5:
	lw	$1, 28($fp)                     # 4-byte Folded Reload
	addiu	$4, $1, 180
	.loc	2 36 58 is_stmt 0               # firmware/tengig/main.c:36:58
	jal	dma_can_publish
	nop
	.loc	2 36 51                         # firmware/tengig/main.c:36:51
	move	$sp, $fp
	lw	$fp, 40($sp)                    # 4-byte Folded Reload
	lw	$ra, 44($sp)                    # 4-byte Folded Reload
	addiu	$sp, $sp, 48
	jr	$ra
	nop
$tmp164:
	.set	at
	.set	macro
	.set	reorder
	.end	reads_can_be_published
$func_end14:
	.size	reads_can_be_published, $func_end14-reads_can_be_published
	.cfi_endproc
                                        # -- End function
	.p2align	2                               # -- Begin function transmits_can_be_retired
	.type	transmits_can_be_retired,@function
	.set	nomicromips
	.set	nomips16
	.ent	transmits_can_be_retired
transmits_can_be_retired:               # @transmits_can_be_retired
$tmp165:
$func_begin15 = $tmp165
	.loc	2 30 0 is_stmt 1                # firmware/tengig/main.c:30:0
	.cfi_startproc
	.frame	$fp,80,$ra
	.mask 	0xc0000000,-4
	.fmask	0x00000000,0
	.set	noreorder
	.set	nomacro
	.set	noat
# %bb.0:
	addiu	$sp, $sp, -80
	.cfi_def_cfa_offset 80
	sw	$ra, 76($sp)                    # 4-byte Folded Spill
	sw	$fp, 72($sp)                    # 4-byte Folded Spill
	.cfi_offset 31, -4
	.cfi_offset 30, -8
	move	$fp, $sp
	.cfi_def_cfa_register 30
	addiu	$2, $zero, 64
$tmp166:
	.loc	4 145 5 prologue_end            # firmware/include/tengig/state.h:145:5 @[ firmware/tengig/main.c:30:60 ]
	#APP
	#NO_APP
	sw	$2, 48($fp)                     # 4-byte Folded Spill
	lw	$1, 48($fp)                     # 4-byte Folded Reload
	sw	$1, 68($fp)
	.loc	4 146 12                        # firmware/include/tengig/state.h:146:12 @[ firmware/tengig/main.c:30:60 ]
	lw	$1, 68($fp)
	sw	$1, 52($fp)                     # 4-byte Folded Spill
	move	$2, $1
	sw	$2, 56($fp)                     # 4-byte Folded Spill
$tmp167:
	.loc	2 30 65                         # firmware/tengig/main.c:30:65
	andi	$2, $1, 3
	sw	$2, 60($fp)                     # 4-byte Folded Spill
	beqz	$1, $BB15_4
	nop
# %bb.1:
	j	$BB15_2
	nop
$BB15_2:
	lw	$1, 60($fp)                     # 4-byte Folded Reload
	beqz	$1, $BB15_5
	nop
# %bb.3:
	j	$BB15_4
	nop
$BB15_4:
	lw	$5, 52($fp)                     # 4-byte Folded Reload
	lui	$1, %hi($__unnamed_108)
	addiu	$4, $1, %lo($__unnamed_108)
	jal	__ubsan_handle_type_mismatch_v1
	nop
	j	$BB15_5
	nop
$BB15_5:
	lw	$1, 56($fp)                     # 4-byte Folded Reload
	move	$2, $1
	sw	$2, 36($fp)                     # 4-byte Folded Spill
	.loc	2 30 75 is_stmt 0               # firmware/tengig/main.c:30:75
	move	$2, $1
	sw	$2, 40($fp)                     # 4-byte Folded Spill
	andi	$2, $1, 3
	sw	$2, 44($fp)                     # 4-byte Folded Spill
	beqz	$1, $BB15_9
	nop
# %bb.6:
	j	$BB15_7
	nop
$BB15_7:
	lw	$1, 44($fp)                     # 4-byte Folded Reload
	beqz	$1, $BB15_10
	nop
# %bb.8:
	j	$BB15_9
	nop
$BB15_9:
	lw	$5, 40($fp)                     # 4-byte Folded Reload
	lui	$1, %hi($__unnamed_109)
	addiu	$4, $1, %lo($__unnamed_109)
	jal	__ubsan_handle_type_mismatch_v1
	nop
	j	$BB15_10
	nop
$BB15_10:
	lw	$1, 36($fp)                     # 4-byte Folded Reload
	lw	$1, 16($1)
	sw	$1, 16($fp)                     # 4-byte Folded Spill
	addiu	$2, $zero, 64
$tmp168:
	.loc	4 145 5 is_stmt 1               # firmware/include/tengig/state.h:145:5 @[ firmware/tengig/main.c:30:97 ]
	#APP
	#NO_APP
	sw	$2, 20($fp)                     # 4-byte Folded Spill
	lw	$1, 20($fp)                     # 4-byte Folded Reload
	sw	$1, 64($fp)
	.loc	4 146 12                        # firmware/include/tengig/state.h:146:12 @[ firmware/tengig/main.c:30:97 ]
	lw	$1, 64($fp)
	sw	$1, 24($fp)                     # 4-byte Folded Spill
	move	$2, $1
	sw	$2, 28($fp)                     # 4-byte Folded Spill
$tmp169:
	.loc	2 30 102                        # firmware/tengig/main.c:30:102
	andi	$2, $1, 3
	sw	$2, 32($fp)                     # 4-byte Folded Spill
	beqz	$1, $BB15_14
	nop
# %bb.11:
	j	$BB15_12
	nop
$BB15_12:
	lw	$1, 32($fp)                     # 4-byte Folded Reload
	beqz	$1, $BB15_15
	nop
# %bb.13:
	j	$BB15_14
	nop
$BB15_14:
	lw	$5, 24($fp)                     # 4-byte Folded Reload
	lui	$1, %hi($__unnamed_110)
	addiu	$4, $1, %lo($__unnamed_110)
	jal	__ubsan_handle_type_mismatch_v1
	nop
	j	$BB15_15
	nop
$BB15_15:
	lw	$1, 16($fp)                     # 4-byte Folded Reload
	lw	$2, 28($fp)                     # 4-byte Folded Reload
	lw	$2, 140($2)
	.loc	2 30 94 is_stmt 0               # firmware/tengig/main.c:30:94
	xor	$1, $1, $2
	sltu	$2, $zero, $1
	.loc	2 30 53                         # firmware/tengig/main.c:30:53
	move	$sp, $fp
	lw	$fp, 72($sp)                    # 4-byte Folded Reload
	lw	$ra, 76($sp)                    # 4-byte Folded Reload
	addiu	$sp, $sp, 80
	jr	$ra
	nop
$tmp170:
	.set	at
	.set	macro
	.set	reorder
	.end	transmits_can_be_retired
$func_end15:
	.size	transmits_can_be_retired, $func_end15-transmits_can_be_retired
	.cfi_endproc
                                        # -- End function
	.p2align	2                               # -- Begin function send_bds_can_be_fetched
	.type	send_bds_can_be_fetched,@function
	.set	nomicromips
	.set	nomips16
	.ent	send_bds_can_be_fetched
send_bds_can_be_fetched:                # @send_bds_can_be_fetched
$tmp171:
$func_begin16 = $tmp171
	.loc	2 40 0 is_stmt 1                # firmware/tengig/main.c:40:0
	.cfi_startproc
	.frame	$fp,168,$ra
	.mask 	0xc0000000,-4
	.fmask	0x00000000,0
	.set	noreorder
	.set	nomacro
	.set	noat
# %bb.0:
	addiu	$sp, $sp, -168
	.cfi_def_cfa_offset 168
	sw	$ra, 164($sp)                   # 4-byte Folded Spill
	sw	$fp, 160($sp)                   # 4-byte Folded Spill
	.cfi_offset 31, -4
	.cfi_offset 30, -8
	move	$fp, $sp
	.cfi_def_cfa_register 30
	addiu	$2, $zero, 64
$tmp172:
	.loc	4 145 5 prologue_end            # firmware/include/tengig/state.h:145:5 @[ firmware/tengig/main.c:41:22 ]
	#APP
	#NO_APP
	sw	$2, 112($fp)                    # 4-byte Folded Spill
	lw	$1, 112($fp)                    # 4-byte Folded Reload
	sw	$1, 156($fp)
	.loc	4 146 12                        # firmware/include/tengig/state.h:146:12 @[ firmware/tengig/main.c:41:22 ]
	lw	$1, 156($fp)
	sw	$1, 116($fp)                    # 4-byte Folded Spill
	move	$2, $1
	sw	$2, 120($fp)                    # 4-byte Folded Spill
$tmp173:
	.loc	2 41 27                         # firmware/tengig/main.c:41:27
	andi	$2, $1, 3
	sw	$2, 124($fp)                    # 4-byte Folded Spill
	beqz	$1, $BB16_4
	nop
# %bb.1:
	j	$BB16_2
	nop
$BB16_2:
	lw	$1, 124($fp)                    # 4-byte Folded Reload
	beqz	$1, $BB16_5
	nop
# %bb.3:
	j	$BB16_4
	nop
$BB16_4:
	lw	$5, 116($fp)                    # 4-byte Folded Reload
	lui	$1, %hi($__unnamed_111)
	addiu	$4, $1, %lo($__unnamed_111)
	jal	__ubsan_handle_type_mismatch_v1
	nop
	j	$BB16_5
	nop
$BB16_5:
	lw	$1, 120($fp)                    # 4-byte Folded Reload
	lw	$1, 104($1)
	.loc	2 41 14 is_stmt 0               # firmware/tengig/main.c:41:14
	sw	$1, 136($fp)
	addiu	$2, $zero, 64
$tmp174:
	.loc	4 145 5 is_stmt 1               # firmware/include/tengig/state.h:145:5 @[ firmware/tengig/main.c:42:25 ]
	#APP
	#NO_APP
	sw	$2, 96($fp)                     # 4-byte Folded Spill
	lw	$1, 96($fp)                     # 4-byte Folded Reload
	sw	$1, 152($fp)
	.loc	4 146 12                        # firmware/include/tengig/state.h:146:12 @[ firmware/tengig/main.c:42:25 ]
	lw	$1, 152($fp)
	sw	$1, 100($fp)                    # 4-byte Folded Spill
	move	$2, $1
	sw	$2, 104($fp)                    # 4-byte Folded Spill
$tmp175:
	.loc	2 42 30                         # firmware/tengig/main.c:42:30
	andi	$2, $1, 3
	sw	$2, 108($fp)                    # 4-byte Folded Spill
	beqz	$1, $BB16_9
	nop
# %bb.6:
	j	$BB16_7
	nop
$BB16_7:
	lw	$1, 108($fp)                    # 4-byte Folded Reload
	beqz	$1, $BB16_10
	nop
# %bb.8:
	j	$BB16_9
	nop
$BB16_9:
	lw	$5, 100($fp)                    # 4-byte Folded Reload
	lui	$1, %hi($__unnamed_112)
	addiu	$4, $1, %lo($__unnamed_112)
	jal	__ubsan_handle_type_mismatch_v1
	nop
	j	$BB16_10
	nop
$BB16_10:
	lw	$1, 104($fp)                    # 4-byte Folded Reload
	move	$2, $1
	sw	$2, 84($fp)                     # 4-byte Folded Spill
	.loc	2 42 40 is_stmt 0               # firmware/tengig/main.c:42:40
	move	$2, $1
	sw	$2, 88($fp)                     # 4-byte Folded Spill
	andi	$2, $1, 3
	sw	$2, 92($fp)                     # 4-byte Folded Spill
	beqz	$1, $BB16_14
	nop
# %bb.11:
	j	$BB16_12
	nop
$BB16_12:
	lw	$1, 92($fp)                     # 4-byte Folded Reload
	beqz	$1, $BB16_15
	nop
# %bb.13:
	j	$BB16_14
	nop
$BB16_14:
	lw	$5, 88($fp)                     # 4-byte Folded Reload
	lui	$1, %hi($__unnamed_113)
	addiu	$4, $1, %lo($__unnamed_113)
	jal	__ubsan_handle_type_mismatch_v1
	nop
	j	$BB16_15
	nop
$BB16_15:
	lw	$1, 84($fp)                     # 4-byte Folded Reload
	lw	$1, 0($1)
	.loc	2 42 59                         # firmware/tengig/main.c:42:59
	lw	$2, 136($fp)
	.loc	2 42 57                         # firmware/tengig/main.c:42:57
	subu	$1, $1, $2
	.loc	2 42 14                         # firmware/tengig/main.c:42:14
	sw	$1, 132($fp)
	.loc	2 43 33 is_stmt 1               # firmware/tengig/main.c:43:33
	lw	$1, 136($fp)
	sw	$1, 64($fp)                     # 4-byte Folded Spill
	addiu	$2, $zero, 64
$tmp176:
	.loc	4 145 5                         # firmware/include/tengig/state.h:145:5 @[ firmware/tengig/main.c:43:41 ]
	#APP
	#NO_APP
	sw	$2, 68($fp)                     # 4-byte Folded Spill
	lw	$1, 68($fp)                     # 4-byte Folded Reload
	sw	$1, 148($fp)
	.loc	4 146 12                        # firmware/include/tengig/state.h:146:12 @[ firmware/tengig/main.c:43:41 ]
	lw	$1, 148($fp)
	sw	$1, 72($fp)                     # 4-byte Folded Spill
	move	$2, $1
	sw	$2, 76($fp)                     # 4-byte Folded Spill
$tmp177:
	.loc	2 43 46                         # firmware/tengig/main.c:43:46
	andi	$2, $1, 3
	sw	$2, 80($fp)                     # 4-byte Folded Spill
	beqz	$1, $BB16_19
	nop
# %bb.16:
	j	$BB16_17
	nop
$BB16_17:
	lw	$1, 80($fp)                     # 4-byte Folded Reload
	beqz	$1, $BB16_20
	nop
# %bb.18:
	j	$BB16_19
	nop
$BB16_19:
	lw	$5, 72($fp)                     # 4-byte Folded Reload
	lui	$1, %hi($__unnamed_114)
	addiu	$4, $1, %lo($__unnamed_114)
	jal	__ubsan_handle_type_mismatch_v1
	nop
	j	$BB16_20
	nop
$BB16_20:
	lw	$2, 64($fp)                     # 4-byte Folded Reload
	lw	$1, 76($fp)                     # 4-byte Folded Reload
	lw	$1, 144($1)
	.loc	2 43 30 is_stmt 0               # firmware/tengig/main.c:43:30
	subu	$1, $1, $2
	addiu	$1, $1, 256
	.loc	2 43 14                         # firmware/tengig/main.c:43:14
	sw	$1, 128($fp)
	.loc	2 44 12 is_stmt 1               # firmware/tengig/main.c:44:12
	lw	$1, 132($fp)
	addiu	$2, $zero, 0
	sw	$2, 60($fp)                     # 4-byte Folded Spill
	.loc	2 44 26 is_stmt 0               # firmware/tengig/main.c:44:26
	beqz	$1, $BB16_39
	nop
# %bb.21:
	j	$BB16_22
	nop
$BB16_22:
	.loc	2 44 29                         # firmware/tengig/main.c:44:29
	lw	$1, 128($fp)
	sw	$1, 56($fp)                     # 4-byte Folded Spill
	.loc	2 44 38                         # firmware/tengig/main.c:44:38
	lw	$1, 132($fp)
	sltiu	$1, $1, 32
	beqz	$1, $BB16_25
	nop
# %bb.23:
	j	$BB16_24
	nop
$BB16_24:
	.loc	2 44 54                         # firmware/tengig/main.c:44:54
	lw	$1, 132($fp)
	sw	$1, 52($fp)                     # 4-byte Folded Spill
	.loc	2 44 38                         # firmware/tengig/main.c:44:38
	j	$BB16_26
	nop
$BB16_25:
	.loc	2 0 38                          # firmware/tengig/main.c:0:38
	addiu	$1, $zero, 32
	sw	$1, 52($fp)                     # 4-byte Folded Spill
	.loc	2 44 38                         # firmware/tengig/main.c:44:38
	j	$BB16_26
	nop
$BB16_26:
	lw	$1, 56($fp)                     # 4-byte Folded Reload
	lw	$2, 52($fp)                     # 4-byte Folded Reload
	.loc	2 44 34                         # firmware/tengig/main.c:44:34
	sltu	$1, $1, $2
	addiu	$2, $zero, 0
	sw	$2, 60($fp)                     # 4-byte Folded Spill
	.loc	2 44 69                         # firmware/tengig/main.c:44:69
	bnez	$1, $BB16_39
	nop
# %bb.27:
	j	$BB16_28
	nop
$BB16_28:
	.loc	2 0 69                          # firmware/tengig/main.c:0:69
	addiu	$2, $zero, 64
$tmp178:
	.loc	4 145 5 is_stmt 1               # firmware/include/tengig/state.h:145:5 @[ firmware/tengig/main.c:45:12 ]
	#APP
	#NO_APP
	sw	$2, 36($fp)                     # 4-byte Folded Spill
	lw	$1, 36($fp)                     # 4-byte Folded Reload
	sw	$1, 144($fp)
	.loc	4 146 12                        # firmware/include/tengig/state.h:146:12 @[ firmware/tengig/main.c:45:12 ]
	lw	$1, 144($fp)
	sw	$1, 40($fp)                     # 4-byte Folded Spill
	move	$2, $1
	sw	$2, 44($fp)                     # 4-byte Folded Spill
$tmp179:
	.loc	2 45 17                         # firmware/tengig/main.c:45:17
	andi	$2, $1, 3
	sw	$2, 48($fp)                     # 4-byte Folded Spill
	beqz	$1, $BB16_32
	nop
# %bb.29:
	j	$BB16_30
	nop
$BB16_30:
	lw	$1, 48($fp)                     # 4-byte Folded Reload
	beqz	$1, $BB16_33
	nop
# %bb.31:
	j	$BB16_32
	nop
$BB16_32:
	lw	$5, 40($fp)                     # 4-byte Folded Reload
	lui	$1, %hi($__unnamed_115)
	addiu	$4, $1, %lo($__unnamed_115)
	jal	__ubsan_handle_type_mismatch_v1
	nop
	j	$BB16_33
	nop
$BB16_33:
	lw	$1, 44($fp)                     # 4-byte Folded Reload
	lw	$1, 108($1)
	sw	$1, 16($fp)                     # 4-byte Folded Spill
	addiu	$2, $zero, 64
$tmp180:
	.loc	4 145 5                         # firmware/include/tengig/state.h:145:5 @[ firmware/tengig/main.c:45:33 ]
	#APP
	#NO_APP
	sw	$2, 20($fp)                     # 4-byte Folded Spill
	lw	$1, 20($fp)                     # 4-byte Folded Reload
	sw	$1, 140($fp)
	.loc	4 146 12                        # firmware/include/tengig/state.h:146:12 @[ firmware/tengig/main.c:45:33 ]
	lw	$1, 140($fp)
	sw	$1, 24($fp)                     # 4-byte Folded Spill
	move	$2, $1
	sw	$2, 28($fp)                     # 4-byte Folded Spill
$tmp181:
	.loc	2 45 38                         # firmware/tengig/main.c:45:38
	andi	$2, $1, 3
	sw	$2, 32($fp)                     # 4-byte Folded Spill
	beqz	$1, $BB16_37
	nop
# %bb.34:
	j	$BB16_35
	nop
$BB16_35:
	lw	$1, 32($fp)                     # 4-byte Folded Reload
	beqz	$1, $BB16_38
	nop
# %bb.36:
	j	$BB16_37
	nop
$BB16_37:
	lw	$5, 24($fp)                     # 4-byte Folded Reload
	lui	$1, %hi($__unnamed_116)
	addiu	$4, $1, %lo($__unnamed_116)
	jal	__ubsan_handle_type_mismatch_v1
	nop
	j	$BB16_38
	nop
$BB16_38:
	lw	$1, 16($fp)                     # 4-byte Folded Reload
	lw	$2, 28($fp)                     # 4-byte Folded Reload
	lw	$2, 112($2)
	.loc	2 45 31 is_stmt 0               # firmware/tengig/main.c:45:31
	subu	$1, $1, $2
	.loc	2 45 58                         # firmware/tengig/main.c:45:58
	sltiu	$1, $1, 16
	sw	$1, 60($fp)                     # 4-byte Folded Spill
	j	$BB16_39
	nop
$BB16_39:
	.loc	2 0 0                           # firmware/tengig/main.c:0
	lw	$1, 60($fp)                     # 4-byte Folded Reload
	.loc	2 44 5 is_stmt 1                # firmware/tengig/main.c:44:5
	andi	$2, $1, 1
	move	$sp, $fp
	lw	$fp, 160($sp)                   # 4-byte Folded Reload
	lw	$ra, 164($sp)                   # 4-byte Folded Reload
	addiu	$sp, $sp, 168
	jr	$ra
	nop
$tmp182:
	.set	at
	.set	macro
	.set	reorder
	.end	send_bds_can_be_fetched
$func_end16:
	.size	send_bds_can_be_fetched, $func_end16-send_bds_can_be_fetched
	.cfi_endproc
                                        # -- End function
	.p2align	2                               # -- Begin function status_is_due
	.type	status_is_due,@function
	.set	nomicromips
	.set	nomips16
	.ent	status_is_due
status_is_due:                          # @status_is_due
$tmp183:
$func_begin17 = $tmp183
	.file	10 "/work/trees/house" "firmware/include/tengig/status.h"
	.loc	10 12 0                         # firmware/include/tengig/status.h:12:0
	.cfi_startproc
	.frame	$fp,272,$ra
	.mask 	0xc0000000,-4
	.fmask	0x00000000,0
	.set	noreorder
	.set	nomacro
	.set	noat
# %bb.0:
	addiu	$sp, $sp, -272
	.cfi_def_cfa_offset 272
	sw	$ra, 268($sp)                   # 4-byte Folded Spill
	sw	$fp, 264($sp)                   # 4-byte Folded Spill
	.cfi_offset 31, -4
	.cfi_offset 30, -8
	move	$fp, $sp
	.cfi_def_cfa_register 30
	addiu	$2, $zero, 64
$tmp184:
	.loc	4 145 5 prologue_end            # firmware/include/tengig/state.h:145:5 @[ firmware/include/tengig/status.h:13:21 ]
	#APP
	#NO_APP
	sw	$2, 204($fp)                    # 4-byte Folded Spill
	lw	$1, 204($fp)                    # 4-byte Folded Reload
	sw	$1, 260($fp)
	.loc	4 146 12                        # firmware/include/tengig/state.h:146:12 @[ firmware/include/tengig/status.h:13:21 ]
	lw	$1, 260($fp)
	sw	$1, 208($fp)                    # 4-byte Folded Spill
	move	$2, $1
	sw	$2, 212($fp)                    # 4-byte Folded Spill
$tmp185:
	.loc	10 13 26                        # firmware/include/tengig/status.h:13:26
	andi	$2, $1, 3
	sw	$2, 216($fp)                    # 4-byte Folded Spill
	beqz	$1, $BB17_4
	nop
# %bb.1:
	j	$BB17_2
	nop
$BB17_2:
	lw	$1, 216($fp)                    # 4-byte Folded Reload
	beqz	$1, $BB17_5
	nop
# %bb.3:
	j	$BB17_4
	nop
$BB17_4:
	lw	$5, 208($fp)                    # 4-byte Folded Reload
	lui	$1, %hi($__unnamed_117)
	addiu	$4, $1, %lo($__unnamed_117)
	jal	__ubsan_handle_type_mismatch_v1
	nop
	j	$BB17_5
	nop
$BB17_5:
	lw	$1, 212($fp)                    # 4-byte Folded Reload
	lw	$1, 144($1)
	sw	$1, 184($fp)                    # 4-byte Folded Spill
	addiu	$2, $zero, 64
$tmp186:
	.loc	4 145 5                         # firmware/include/tengig/state.h:145:5 @[ firmware/include/tengig/status.h:13:45 ]
	#APP
	#NO_APP
	sw	$2, 188($fp)                    # 4-byte Folded Spill
	lw	$1, 188($fp)                    # 4-byte Folded Reload
	sw	$1, 256($fp)
	.loc	4 146 12                        # firmware/include/tengig/state.h:146:12 @[ firmware/include/tengig/status.h:13:45 ]
	lw	$1, 256($fp)
	sw	$1, 192($fp)                    # 4-byte Folded Spill
	move	$2, $1
	sw	$2, 196($fp)                    # 4-byte Folded Spill
$tmp187:
	.loc	10 13 50                        # firmware/include/tengig/status.h:13:50
	andi	$2, $1, 3
	sw	$2, 200($fp)                    # 4-byte Folded Spill
	beqz	$1, $BB17_9
	nop
# %bb.6:
	j	$BB17_7
	nop
$BB17_7:
	lw	$1, 200($fp)                    # 4-byte Folded Reload
	beqz	$1, $BB17_10
	nop
# %bb.8:
	j	$BB17_9
	nop
$BB17_9:
	lw	$5, 192($fp)                    # 4-byte Folded Reload
	lui	$1, %hi($__unnamed_118)
	addiu	$4, $1, %lo($__unnamed_118)
	jal	__ubsan_handle_type_mismatch_v1
	nop
	j	$BB17_10
	nop
$BB17_10:
	lw	$1, 184($fp)                    # 4-byte Folded Reload
	lw	$2, 196($fp)                    # 4-byte Folded Reload
	lw	$2, 2784($2)
	.loc	10 13 43 is_stmt 0              # firmware/include/tengig/status.h:13:43
	subu	$1, $1, $2
	.loc	10 13 14                        # firmware/include/tengig/status.h:13:14
	sw	$1, 224($fp)
	addiu	$2, $zero, 64
$tmp188:
	.loc	4 145 5 is_stmt 1               # firmware/include/tengig/state.h:145:5 @[ firmware/include/tengig/status.h:14:25 ]
	#APP
	#NO_APP
	sw	$2, 168($fp)                    # 4-byte Folded Spill
	lw	$1, 168($fp)                    # 4-byte Folded Reload
	sw	$1, 252($fp)
	.loc	4 146 12                        # firmware/include/tengig/state.h:146:12 @[ firmware/include/tengig/status.h:14:25 ]
	lw	$1, 252($fp)
	sw	$1, 172($fp)                    # 4-byte Folded Spill
	move	$2, $1
	sw	$2, 176($fp)                    # 4-byte Folded Spill
$tmp189:
	.loc	10 14 30                        # firmware/include/tengig/status.h:14:30
	andi	$2, $1, 3
	sw	$2, 180($fp)                    # 4-byte Folded Spill
	beqz	$1, $BB17_14
	nop
# %bb.11:
	j	$BB17_12
	nop
$BB17_12:
	lw	$1, 180($fp)                    # 4-byte Folded Reload
	beqz	$1, $BB17_15
	nop
# %bb.13:
	j	$BB17_14
	nop
$BB17_14:
	lw	$5, 172($fp)                    # 4-byte Folded Reload
	lui	$1, %hi($__unnamed_119)
	addiu	$4, $1, %lo($__unnamed_119)
	jal	__ubsan_handle_type_mismatch_v1
	nop
	j	$BB17_15
	nop
$BB17_15:
	lw	$1, 176($fp)                    # 4-byte Folded Reload
	lw	$1, 172($1)
	sw	$1, 148($fp)                    # 4-byte Folded Spill
	addiu	$2, $zero, 64
$tmp190:
	.loc	4 145 5                         # firmware/include/tengig/state.h:145:5 @[ firmware/include/tengig/status.h:14:49 ]
	#APP
	#NO_APP
	sw	$2, 152($fp)                    # 4-byte Folded Spill
	lw	$1, 152($fp)                    # 4-byte Folded Reload
	sw	$1, 248($fp)
	.loc	4 146 12                        # firmware/include/tengig/state.h:146:12 @[ firmware/include/tengig/status.h:14:49 ]
	lw	$1, 248($fp)
	sw	$1, 156($fp)                    # 4-byte Folded Spill
	move	$2, $1
	sw	$2, 160($fp)                    # 4-byte Folded Spill
$tmp191:
	.loc	10 14 54                        # firmware/include/tengig/status.h:14:54
	andi	$2, $1, 3
	sw	$2, 164($fp)                    # 4-byte Folded Spill
	beqz	$1, $BB17_19
	nop
# %bb.16:
	j	$BB17_17
	nop
$BB17_17:
	lw	$1, 164($fp)                    # 4-byte Folded Reload
	beqz	$1, $BB17_20
	nop
# %bb.18:
	j	$BB17_19
	nop
$BB17_19:
	lw	$5, 156($fp)                    # 4-byte Folded Reload
	lui	$1, %hi($__unnamed_120)
	addiu	$4, $1, %lo($__unnamed_120)
	jal	__ubsan_handle_type_mismatch_v1
	nop
	j	$BB17_20
	nop
$BB17_20:
	lw	$1, 148($fp)                    # 4-byte Folded Reload
	lw	$2, 160($fp)                    # 4-byte Folded Reload
	lw	$2, 2788($2)
	.loc	10 14 47 is_stmt 0              # firmware/include/tengig/status.h:14:47
	subu	$1, $1, $2
	.loc	10 14 14                        # firmware/include/tengig/status.h:14:14
	sw	$1, 220($fp)
	addiu	$2, $zero, 64
$tmp192:
	.loc	4 145 5 is_stmt 1               # firmware/include/tengig/state.h:145:5 @[ firmware/include/tengig/status.h:15:9 ]
	#APP
	#NO_APP
	sw	$2, 132($fp)                    # 4-byte Folded Spill
	lw	$1, 132($fp)                    # 4-byte Folded Reload
	sw	$1, 244($fp)
	.loc	4 146 12                        # firmware/include/tengig/state.h:146:12 @[ firmware/include/tengig/status.h:15:9 ]
	lw	$1, 244($fp)
	sw	$1, 136($fp)                    # 4-byte Folded Spill
	move	$2, $1
	sw	$2, 140($fp)                    # 4-byte Folded Spill
$tmp193:
	.loc	10 15 14                        # firmware/include/tengig/status.h:15:14
	andi	$2, $1, 3
	sw	$2, 144($fp)                    # 4-byte Folded Spill
	beqz	$1, $BB17_24
	nop
# %bb.21:
	j	$BB17_22
	nop
$BB17_22:
	lw	$1, 144($fp)                    # 4-byte Folded Reload
	beqz	$1, $BB17_25
	nop
# %bb.23:
	j	$BB17_24
	nop
$BB17_24:
	lw	$5, 136($fp)                    # 4-byte Folded Reload
	lui	$1, %hi($__unnamed_121)
	addiu	$4, $1, %lo($__unnamed_121)
	jal	__ubsan_handle_type_mismatch_v1
	nop
	j	$BB17_25
	nop
$BB17_25:
	lw	$1, 140($fp)                    # 4-byte Folded Reload
	lw	$1, 2792($1)
	.loc	10 15 31 is_stmt 0              # firmware/include/tengig/status.h:15:31
	bnez	$1, $BB17_29
	nop
# %bb.26:
	j	$BB17_27
	nop
$BB17_27:
	.loc	10 15 35                        # firmware/include/tengig/status.h:15:35
	lw	$1, 224($fp)
	.loc	10 15 42                        # firmware/include/tengig/status.h:15:42
	lw	$2, 220($fp)
	.loc	10 15 40                        # firmware/include/tengig/status.h:15:40
	or	$1, $1, $2
	.loc	10 15 31                        # firmware/include/tengig/status.h:15:31
	bnez	$1, $BB17_30
	nop
# %bb.28:
	j	$BB17_29
	nop
$BB17_29:
	.loc	10 0 31                         # firmware/include/tengig/status.h:0:31
	addiu	$1, $zero, 0
	.loc	10 16 9 is_stmt 1               # firmware/include/tengig/status.h:16:9
	sb	$zero, 231($fp)
	j	$BB17_71
	nop
$tmp194:
$BB17_30:
	.loc	10 17 12                        # firmware/include/tengig/status.h:17:12
	lw	$1, 224($fp)
	sw	$1, 112($fp)                    # 4-byte Folded Spill
	addiu	$2, $zero, 64
$tmp195:
	.loc	4 145 5                         # firmware/include/tengig/state.h:145:5 @[ firmware/include/tengig/status.h:17:20 ]
	#APP
	#NO_APP
	sw	$2, 116($fp)                    # 4-byte Folded Spill
	lw	$1, 116($fp)                    # 4-byte Folded Reload
	sw	$1, 240($fp)
	.loc	4 146 12                        # firmware/include/tengig/state.h:146:12 @[ firmware/include/tengig/status.h:17:20 ]
	lw	$1, 240($fp)
	sw	$1, 120($fp)                    # 4-byte Folded Spill
	move	$2, $1
	sw	$2, 124($fp)                    # 4-byte Folded Spill
$tmp196:
	.loc	10 17 25                        # firmware/include/tengig/status.h:17:25
	andi	$2, $1, 3
	sw	$2, 128($fp)                    # 4-byte Folded Spill
	beqz	$1, $BB17_34
	nop
# %bb.31:
	j	$BB17_32
	nop
$BB17_32:
	lw	$1, 128($fp)                    # 4-byte Folded Reload
	beqz	$1, $BB17_35
	nop
# %bb.33:
	j	$BB17_34
	nop
$BB17_34:
	lw	$5, 120($fp)                    # 4-byte Folded Reload
	lui	$1, %hi($__unnamed_122)
	addiu	$4, $1, %lo($__unnamed_122)
	jal	__ubsan_handle_type_mismatch_v1
	nop
	j	$BB17_35
	nop
$BB17_35:
	lw	$1, 124($fp)                    # 4-byte Folded Reload
	addiu	$1, $1, 84
	sw	$1, 100($fp)                    # 4-byte Folded Spill
	move	$2, $1
	sw	$2, 104($fp)                    # 4-byte Folded Spill
	.loc	10 17 34 is_stmt 0              # firmware/include/tengig/status.h:17:34
	andi	$2, $1, 3
	sw	$2, 108($fp)                    # 4-byte Folded Spill
	beqz	$1, $BB17_39
	nop
# %bb.36:
	j	$BB17_37
	nop
$BB17_37:
	lw	$1, 108($fp)                    # 4-byte Folded Reload
	beqz	$1, $BB17_40
	nop
# %bb.38:
	j	$BB17_39
	nop
$BB17_39:
	lw	$5, 100($fp)                    # 4-byte Folded Reload
	lui	$1, %hi($__unnamed_123)
	addiu	$4, $1, %lo($__unnamed_123)
	jal	__ubsan_handle_type_mismatch_v1
	nop
	j	$BB17_40
	nop
$BB17_40:
	lw	$1, 104($fp)                    # 4-byte Folded Reload
	move	$2, $1
	sw	$2, 88($fp)                     # 4-byte Folded Spill
	move	$2, $1
	sw	$2, 92($fp)                     # 4-byte Folded Spill
	andi	$2, $1, 3
	sw	$2, 96($fp)                     # 4-byte Folded Spill
	beqz	$1, $BB17_44
	nop
# %bb.41:
	j	$BB17_42
	nop
$BB17_42:
	lw	$1, 96($fp)                     # 4-byte Folded Reload
	beqz	$1, $BB17_45
	nop
# %bb.43:
	j	$BB17_44
	nop
$BB17_44:
	lw	$5, 92($fp)                     # 4-byte Folded Reload
	lui	$1, %hi($__unnamed_124)
	addiu	$4, $1, %lo($__unnamed_124)
	jal	__ubsan_handle_type_mismatch_v1
	nop
	j	$BB17_45
	nop
$BB17_45:
	lw	$1, 112($fp)                    # 4-byte Folded Reload
	lw	$2, 88($fp)                     # 4-byte Folded Reload
	lw	$3, 0($2)
	addiu	$2, $zero, 1
	.loc	10 17 50                        # firmware/include/tengig/status.h:17:50
	sltu	$1, $1, $3
	sw	$2, 84($fp)                     # 4-byte Folded Spill
	beqz	$1, $BB17_70
	nop
# %bb.46:
	j	$BB17_47
	nop
$BB17_47:
	.loc	10 17 53                        # firmware/include/tengig/status.h:17:53
	lw	$1, 220($fp)
	sw	$1, 64($fp)                     # 4-byte Folded Spill
	addiu	$2, $zero, 64
$tmp197:
	.loc	4 145 5 is_stmt 1               # firmware/include/tengig/state.h:145:5 @[ firmware/include/tengig/status.h:17:65 ]
	#APP
	#NO_APP
	sw	$2, 68($fp)                     # 4-byte Folded Spill
	lw	$1, 68($fp)                     # 4-byte Folded Reload
	sw	$1, 236($fp)
	.loc	4 146 12                        # firmware/include/tengig/state.h:146:12 @[ firmware/include/tengig/status.h:17:65 ]
	lw	$1, 236($fp)
	sw	$1, 72($fp)                     # 4-byte Folded Spill
	move	$2, $1
	sw	$2, 76($fp)                     # 4-byte Folded Spill
$tmp198:
	.loc	10 17 70                        # firmware/include/tengig/status.h:17:70
	andi	$2, $1, 3
	sw	$2, 80($fp)                     # 4-byte Folded Spill
	beqz	$1, $BB17_51
	nop
# %bb.48:
	j	$BB17_49
	nop
$BB17_49:
	lw	$1, 80($fp)                     # 4-byte Folded Reload
	beqz	$1, $BB17_52
	nop
# %bb.50:
	j	$BB17_51
	nop
$BB17_51:
	lw	$5, 72($fp)                     # 4-byte Folded Reload
	lui	$1, %hi($__unnamed_125)
	addiu	$4, $1, %lo($__unnamed_125)
	jal	__ubsan_handle_type_mismatch_v1
	nop
	j	$BB17_52
	nop
$BB17_52:
	lw	$1, 76($fp)                     # 4-byte Folded Reload
	addiu	$1, $1, 84
	sw	$1, 52($fp)                     # 4-byte Folded Spill
	move	$2, $1
	sw	$2, 56($fp)                     # 4-byte Folded Spill
	.loc	10 17 79 is_stmt 0              # firmware/include/tengig/status.h:17:79
	andi	$2, $1, 3
	sw	$2, 60($fp)                     # 4-byte Folded Spill
	beqz	$1, $BB17_56
	nop
# %bb.53:
	j	$BB17_54
	nop
$BB17_54:
	lw	$1, 60($fp)                     # 4-byte Folded Reload
	beqz	$1, $BB17_57
	nop
# %bb.55:
	j	$BB17_56
	nop
$BB17_56:
	lw	$5, 52($fp)                     # 4-byte Folded Reload
	lui	$1, %hi($__unnamed_126)
	addiu	$4, $1, %lo($__unnamed_126)
	jal	__ubsan_handle_type_mismatch_v1
	nop
	j	$BB17_57
	nop
$BB17_57:
	lw	$1, 56($fp)                     # 4-byte Folded Reload
	addiu	$1, $1, 4
	sw	$1, 40($fp)                     # 4-byte Folded Spill
	move	$2, $1
	sw	$2, 44($fp)                     # 4-byte Folded Spill
	andi	$2, $1, 3
	sw	$2, 48($fp)                     # 4-byte Folded Spill
	beqz	$1, $BB17_61
	nop
# %bb.58:
	j	$BB17_59
	nop
$BB17_59:
	lw	$1, 48($fp)                     # 4-byte Folded Reload
	beqz	$1, $BB17_62
	nop
# %bb.60:
	j	$BB17_61
	nop
$BB17_61:
	lw	$5, 40($fp)                     # 4-byte Folded Reload
	lui	$1, %hi($__unnamed_127)
	addiu	$4, $1, %lo($__unnamed_127)
	jal	__ubsan_handle_type_mismatch_v1
	nop
	j	$BB17_62
	nop
$BB17_62:
	lw	$1, 64($fp)                     # 4-byte Folded Reload
	lw	$2, 44($fp)                     # 4-byte Folded Reload
	lw	$3, 0($2)
	addiu	$2, $zero, 1
	.loc	10 17 98                        # firmware/include/tengig/status.h:17:98
	sltu	$1, $1, $3
	sw	$2, 84($fp)                     # 4-byte Folded Spill
	beqz	$1, $BB17_70
	nop
# %bb.63:
	j	$BB17_64
	nop
$BB17_64:
	.loc	10 18 22 is_stmt 1              # firmware/include/tengig/status.h:18:22
	jal	cycle_count
	nop
	sw	$2, 20($fp)                     # 4-byte Folded Spill
	addiu	$2, $zero, 64
$tmp199:
	.loc	4 145 5                         # firmware/include/tengig/state.h:145:5 @[ firmware/include/tengig/status.h:18:38 ]
	#APP
	#NO_APP
	sw	$2, 24($fp)                     # 4-byte Folded Spill
	lw	$1, 24($fp)                     # 4-byte Folded Reload
	sw	$1, 232($fp)
	.loc	4 146 12                        # firmware/include/tengig/state.h:146:12 @[ firmware/include/tengig/status.h:18:38 ]
	lw	$1, 232($fp)
	sw	$1, 28($fp)                     # 4-byte Folded Spill
	move	$2, $1
	sw	$2, 32($fp)                     # 4-byte Folded Spill
$tmp200:
	.loc	10 18 43                        # firmware/include/tengig/status.h:18:43
	andi	$2, $1, 3
	sw	$2, 36($fp)                     # 4-byte Folded Spill
	beqz	$1, $BB17_68
	nop
# %bb.65:
	j	$BB17_66
	nop
$BB17_66:
	lw	$1, 36($fp)                     # 4-byte Folded Reload
	beqz	$1, $BB17_69
	nop
# %bb.67:
	j	$BB17_68
	nop
$BB17_68:
	lw	$5, 28($fp)                     # 4-byte Folded Reload
	lui	$1, %hi($__unnamed_128)
	addiu	$4, $1, %lo($__unnamed_128)
	jal	__ubsan_handle_type_mismatch_v1
	nop
	j	$BB17_69
	nop
$BB17_69:
	lw	$1, 20($fp)                     # 4-byte Folded Reload
	lw	$2, 32($fp)                     # 4-byte Folded Reload
	lw	$2, 2796($2)
	.loc	10 18 36 is_stmt 0              # firmware/include/tengig/status.h:18:36
	subu	$2, $1, $2
	addiu	$1, $zero, -1
	.loc	10 18 54                        # firmware/include/tengig/status.h:18:54
	slt	$1, $1, $2
	sw	$1, 84($fp)                     # 4-byte Folded Spill
	.loc	10 17 98 is_stmt 1              # firmware/include/tengig/status.h:17:98
	j	$BB17_70
	nop
$BB17_70:
	.loc	10 0 98 is_stmt 0               # firmware/include/tengig/status.h:0:98
	lw	$1, 84($fp)                     # 4-byte Folded Reload
	.loc	10 17 5                         # firmware/include/tengig/status.h:17:5
	andi	$1, $1, 1
	sb	$1, 231($fp)
	j	$BB17_71
	nop
$BB17_71:
	.loc	10 19 1 is_stmt 1               # firmware/include/tengig/status.h:19:1
	lbu	$2, 231($fp)
	move	$sp, $fp
	lw	$fp, 264($sp)                   # 4-byte Folded Reload
	lw	$ra, 268($sp)                   # 4-byte Folded Reload
	addiu	$sp, $sp, 272
	jr	$ra
	nop
$tmp201:
	.set	at
	.set	macro
	.set	reorder
	.end	status_is_due
$func_end17:
	.size	status_is_due, $func_end17-status_is_due
	.cfi_endproc
                                        # -- End function
	.p2align	2                               # -- Begin function load_linked
	.type	load_linked,@function
	.set	nomicromips
	.set	nomips16
	.ent	load_linked
load_linked:                            # @load_linked
$tmp202:
$func_begin18 = $tmp202
	.loc	8 18 0                          # firmware/architecture/mips/spinach/architecture.h:18:0
	.cfi_startproc
	.frame	$fp,24,$ra
	.mask 	0xc0000000,-4
	.fmask	0x00000000,0
	.set	noreorder
	.set	nomacro
	.set	noat
# %bb.0:
	addiu	$sp, $sp, -24
	.cfi_def_cfa_offset 24
	sw	$ra, 20($sp)                    # 4-byte Folded Spill
	sw	$fp, 16($sp)                    # 4-byte Folded Spill
	.cfi_offset 31, -4
	.cfi_offset 30, -8
	move	$fp, $sp
	.cfi_def_cfa_register 30
	sw	$4, 12($fp)
$tmp203:
	.loc	8 20 94 prologue_end            # firmware/architecture/mips/spinach/architecture.h:20:94
	lw	$2, 12($fp)
	.loc	8 20 5 is_stmt 0                # firmware/architecture/mips/spinach/architecture.h:20:5
	#APP
	.set	push
	.set	at
	.set	macro
	.set	reorder

	.set	push

	.set	mips2

	ll	$2, 0($2)
	.set	pop


	.set	pop
	#NO_APP
	sw	$2, 4($fp)                      # 4-byte Folded Spill
	lw	$1, 4($fp)                      # 4-byte Folded Reload
	sw	$1, 8($fp)
	.loc	8 21 12 is_stmt 1               # firmware/architecture/mips/spinach/architecture.h:21:12
	lw	$2, 8($fp)
	.loc	8 21 5 is_stmt 0                # firmware/architecture/mips/spinach/architecture.h:21:5
	move	$sp, $fp
	lw	$fp, 16($sp)                    # 4-byte Folded Reload
	lw	$ra, 20($sp)                    # 4-byte Folded Reload
	addiu	$sp, $sp, 24
	jr	$ra
	nop
$tmp204:
	.set	at
	.set	macro
	.set	reorder
	.end	load_linked
$func_end18:
	.size	load_linked, $func_end18-load_linked
	.cfi_endproc
                                        # -- End function
	.p2align	2                               # -- Begin function store_conditional
	.type	store_conditional,@function
	.set	nomicromips
	.set	nomips16
	.ent	store_conditional
store_conditional:                      # @store_conditional
$tmp205:
$func_begin19 = $tmp205
	.loc	8 26 0 is_stmt 1                # firmware/architecture/mips/spinach/architecture.h:26:0
	.cfi_startproc
	.frame	$fp,24,$ra
	.mask 	0xc0000000,-4
	.fmask	0x00000000,0
	.set	noreorder
	.set	nomacro
	.set	noat
# %bb.0:
	addiu	$sp, $sp, -24
	.cfi_def_cfa_offset 24
	sw	$ra, 20($sp)                    # 4-byte Folded Spill
	sw	$fp, 16($sp)                    # 4-byte Folded Spill
	.cfi_offset 31, -4
	.cfi_offset 30, -8
	move	$fp, $sp
	.cfi_def_cfa_register 30
	sw	$4, 12($fp)
	sw	$5, 8($fp)
$tmp206:
	.loc	8 27 5 prologue_end             # firmware/architecture/mips/spinach/architecture.h:27:5
	lw	$2, 8($fp)
	.loc	8 28 43                         # firmware/architecture/mips/spinach/architecture.h:28:43
	lw	$3, 12($fp)
	.loc	8 27 5                          # firmware/architecture/mips/spinach/architecture.h:27:5
	#APP
	.set	push
	.set	at
	.set	macro
	.set	reorder

	.set	push

	.set	mips2

	sc	$2, 0($3)
	.set	pop


	.set	pop
	#NO_APP
	sw	$2, 4($fp)                      # 4-byte Folded Spill
	lw	$1, 4($fp)                      # 4-byte Folded Reload
	sw	$1, 8($fp)
	.loc	8 31 12                         # firmware/architecture/mips/spinach/architecture.h:31:12
	lw	$1, 8($fp)
	.loc	8 31 18 is_stmt 0               # firmware/architecture/mips/spinach/architecture.h:31:18
	sltu	$2, $zero, $1
	.loc	8 31 5                          # firmware/architecture/mips/spinach/architecture.h:31:5
	move	$sp, $fp
	lw	$fp, 16($sp)                    # 4-byte Folded Reload
	lw	$ra, 20($sp)                    # 4-byte Folded Reload
	addiu	$sp, $sp, 24
	jr	$ra
	nop
$tmp207:
	.set	at
	.set	macro
	.set	reorder
	.end	store_conditional
$func_end19:
	.size	store_conditional, $func_end19-store_conditional
	.cfi_endproc
                                        # -- End function
	.p2align	2                               # -- Begin function flag_is_set
	.type	flag_is_set,@function
	.set	nomicromips
	.set	nomips16
	.ent	flag_is_set
flag_is_set:                            # @flag_is_set
$tmp208:
$func_begin20 = $tmp208
	.file	11 "/work/trees/house" "firmware/include/tengig/flags.h"
	.loc	11 47 0 is_stmt 1               # firmware/include/tengig/flags.h:47:0
	.cfi_startproc
	.frame	$fp,48,$ra
	.mask 	0xc0000000,-4
	.fmask	0x00000000,0
	.set	noreorder
	.set	nomacro
	.set	noat
# %bb.0:
	addiu	$sp, $sp, -48
	.cfi_def_cfa_offset 48
	sw	$ra, 44($sp)                    # 4-byte Folded Spill
	sw	$fp, 40($sp)                    # 4-byte Folded Spill
	.cfi_offset 31, -4
	.cfi_offset 30, -8
	move	$fp, $sp
	.cfi_def_cfa_register 30
	sw	$4, 36($fp)
	sw	$5, 32($fp)
$tmp209:
	.loc	11 48 12 prologue_end           # firmware/include/tengig/flags.h:48:12
	lw	$1, 36($fp)
	sw	$1, 28($fp)                     # 4-byte Folded Spill
	.loc	11 48 19 is_stmt 0              # firmware/include/tengig/flags.h:48:19
	bnez	$1, $BB20_3
	nop
# %bb.1:
	j	$BB20_2
	nop
$BB20_2:
	lw	$5, 28($fp)                     # 4-byte Folded Reload
	lui	$1, %hi($__unnamed_129)
	addiu	$4, $1, %lo($__unnamed_129)
	jal	__ubsan_handle_type_mismatch_v1
	nop
	j	$BB20_3
	nop
$BB20_3:
	.loc	11 48 39                        # firmware/include/tengig/flags.h:48:39
	lw	$1, 28($fp)                     # 4-byte Folded Reload
	lbu	$2, 35($fp)
	.loc	11 48 12                        # firmware/include/tengig/flags.h:48:12
	addu	$2, $1, $2
	sw	$2, 16($fp)                     # 4-byte Folded Spill
	move	$3, $2
	sw	$3, 20($fp)                     # 4-byte Folded Spill
	move	$3, $1
	sw	$3, 24($fp)                     # 4-byte Folded Spill
	sltu	$1, $zero, $1
	sltu	$2, $zero, $2
	addiu	$3, $zero, 0
	bne	$1, $2, $BB20_11
	nop
# %bb.4:
	j	$BB20_5
	nop
$BB20_5:
	lw	$1, 16($fp)                     # 4-byte Folded Reload
	lw	$2, 24($fp)                     # 4-byte Folded Reload
	sltu	$1, $1, $2
	bnez	$1, $BB20_11
	nop
# %bb.6:
	j	$BB20_7
	nop
$BB20_7:
	.loc	11 0 12                         # firmware/include/tengig/flags.h:0:12
	andi	$1, $zero, 1
	.loc	11 48 12                        # firmware/include/tengig/flags.h:48:12
	bnez	$1, $BB20_11
	nop
# %bb.8:
	j	$BB20_9
	nop
$BB20_9:
	.loc	11 0 12                         # firmware/include/tengig/flags.h:0:12
	addiu	$1, $zero, 1
	.loc	11 48 12                        # firmware/include/tengig/flags.h:48:12
	bnez	$1, $BB20_12
	nop
# %bb.10:
	j	$BB20_11
	nop
$BB20_11:
	lw	$6, 16($fp)                     # 4-byte Folded Reload
	lw	$5, 24($fp)                     # 4-byte Folded Reload
	lui	$1, %hi($__unnamed_130)
	addiu	$4, $1, %lo($__unnamed_130)
	jal	__ubsan_handle_pointer_overflow
	nop
	j	$BB20_12
	nop
$BB20_12:
	lw	$1, 20($fp)                     # 4-byte Folded Reload
	lbu	$1, 0($1)
	sltu	$2, $zero, $1
	.loc	11 48 5                         # firmware/include/tengig/flags.h:48:5
	move	$sp, $fp
	lw	$fp, 40($sp)                    # 4-byte Folded Reload
	lw	$ra, 44($sp)                    # 4-byte Folded Reload
	addiu	$sp, $sp, 48
	jr	$ra
	nop
$tmp210:
	.set	at
	.set	macro
	.set	reorder
	.end	flag_is_set
$func_end20:
	.size	flag_is_set, $func_end20-flag_is_set
	.cfi_endproc
                                        # -- End function
	.p2align	2                               # -- Begin function dma_can_publish
	.type	dma_can_publish,@function
	.set	nomicromips
	.set	nomips16
	.ent	dma_can_publish
dma_can_publish:                        # @dma_can_publish
$tmp211:
$func_begin21 = $tmp211
	.file	12 "/work/trees/house" "firmware/include/tengig/dma.h"
	.loc	12 67 0 is_stmt 1               # firmware/include/tengig/dma.h:67:0
	.cfi_startproc
	.frame	$fp,56,$ra
	.mask 	0xc0000000,-4
	.fmask	0x00000000,0
	.set	noreorder
	.set	nomacro
	.set	noat
# %bb.0:
	addiu	$sp, $sp, -56
	.cfi_def_cfa_offset 56
	sw	$ra, 52($sp)                    # 4-byte Folded Spill
	sw	$fp, 48($sp)                    # 4-byte Folded Spill
	.cfi_offset 31, -4
	.cfi_offset 30, -8
	move	$fp, $sp
	.cfi_def_cfa_register 30
	sw	$4, 44($fp)
$tmp212:
	.loc	12 67 89 prologue_end           # firmware/include/tengig/dma.h:67:89
	lw	$1, 44($fp)
	sw	$1, 32($fp)                     # 4-byte Folded Spill
	move	$2, $1
	sw	$2, 36($fp)                     # 4-byte Folded Spill
	.loc	12 67 96 is_stmt 0              # firmware/include/tengig/dma.h:67:96
	andi	$2, $1, 3
	sw	$2, 40($fp)                     # 4-byte Folded Spill
	beqz	$1, $BB21_4
	nop
# %bb.1:
	j	$BB21_2
	nop
$BB21_2:
	lw	$1, 40($fp)                     # 4-byte Folded Reload
	beqz	$1, $BB21_5
	nop
# %bb.3:
	j	$BB21_4
	nop
$BB21_4:
	lw	$5, 32($fp)                     # 4-byte Folded Reload
	lui	$1, %hi($__unnamed_131)
	addiu	$4, $1, %lo($__unnamed_131)
	jal	__ubsan_handle_type_mismatch_v1
	nop
	j	$BB21_5
	nop
$BB21_5:
	lw	$1, 36($fp)                     # 4-byte Folded Reload
	addiu	$1, $1, 20
	sw	$1, 16($fp)                     # 4-byte Folded Spill
	.loc	12 67 103                       # firmware/include/tengig/dma.h:67:103
	lw	$1, 44($fp)
	sw	$1, 20($fp)                     # 4-byte Folded Spill
	move	$2, $1
	sw	$2, 24($fp)                     # 4-byte Folded Spill
	.loc	12 67 110                       # firmware/include/tengig/dma.h:67:110
	andi	$2, $1, 3
	sw	$2, 28($fp)                     # 4-byte Folded Spill
	beqz	$1, $BB21_9
	nop
# %bb.6:
	j	$BB21_7
	nop
$BB21_7:
	lw	$1, 28($fp)                     # 4-byte Folded Reload
	beqz	$1, $BB21_10
	nop
# %bb.8:
	j	$BB21_9
	nop
$BB21_9:
	lw	$5, 20($fp)                     # 4-byte Folded Reload
	lui	$1, %hi($__unnamed_132)
	addiu	$4, $1, %lo($__unnamed_132)
	jal	__ubsan_handle_type_mismatch_v1
	nop
	j	$BB21_10
	nop
$BB21_10:
	lw	$4, 16($fp)                     # 4-byte Folded Reload
	lw	$1, 24($fp)                     # 4-byte Folded Reload
	lw	$5, 12($1)
	.loc	12 67 76                        # firmware/include/tengig/dma.h:67:76
	jal	flag_is_set
	nop
	.loc	12 67 69                        # firmware/include/tengig/dma.h:67:69
	move	$sp, $fp
	lw	$fp, 48($sp)                    # 4-byte Folded Reload
	lw	$ra, 52($sp)                    # 4-byte Folded Reload
	addiu	$sp, $sp, 56
	jr	$ra
	nop
$tmp213:
	.set	at
	.set	macro
	.set	reorder
	.end	dma_can_publish
$func_end21:
	.size	dma_can_publish, $func_end21-dma_can_publish
	.cfi_endproc
                                        # -- End function
	.p2align	2                               # -- Begin function frames_have_arrived
	.type	frames_have_arrived,@function
	.set	nomicromips
	.set	nomips16
	.ent	frames_have_arrived
frames_have_arrived:                    # @frames_have_arrived
$tmp214:
$func_begin22 = $tmp214
	.loc	2 28 0 is_stmt 1                # firmware/tengig/main.c:28:0
	.cfi_startproc
	.frame	$fp,80,$ra
	.mask 	0xc0000000,-4
	.fmask	0x00000000,0
	.set	noreorder
	.set	nomacro
	.set	noat
# %bb.0:
	addiu	$sp, $sp, -80
	.cfi_def_cfa_offset 80
	sw	$ra, 76($sp)                    # 4-byte Folded Spill
	sw	$fp, 72($sp)                    # 4-byte Folded Spill
	.cfi_offset 31, -4
	.cfi_offset 30, -8
	move	$fp, $sp
	.cfi_def_cfa_register 30
	addiu	$2, $zero, 64
$tmp215:
	.loc	4 145 5 prologue_end            # firmware/include/tengig/state.h:145:5 @[ firmware/tengig/main.c:28:55 ]
	#APP
	#NO_APP
	sw	$2, 48($fp)                     # 4-byte Folded Spill
	lw	$1, 48($fp)                     # 4-byte Folded Reload
	sw	$1, 68($fp)
	.loc	4 146 12                        # firmware/include/tengig/state.h:146:12 @[ firmware/tengig/main.c:28:55 ]
	lw	$1, 68($fp)
	sw	$1, 52($fp)                     # 4-byte Folded Spill
	move	$2, $1
	sw	$2, 56($fp)                     # 4-byte Folded Spill
$tmp216:
	.loc	2 28 60                         # firmware/tengig/main.c:28:60
	andi	$2, $1, 3
	sw	$2, 60($fp)                     # 4-byte Folded Spill
	beqz	$1, $BB22_4
	nop
# %bb.1:
	j	$BB22_2
	nop
$BB22_2:
	lw	$1, 60($fp)                     # 4-byte Folded Reload
	beqz	$1, $BB22_5
	nop
# %bb.3:
	j	$BB22_4
	nop
$BB22_4:
	lw	$5, 52($fp)                     # 4-byte Folded Reload
	lui	$1, %hi($__unnamed_133)
	addiu	$4, $1, %lo($__unnamed_133)
	jal	__ubsan_handle_type_mismatch_v1
	nop
	j	$BB22_5
	nop
$BB22_5:
	lw	$1, 56($fp)                     # 4-byte Folded Reload
	move	$2, $1
	sw	$2, 36($fp)                     # 4-byte Folded Spill
	.loc	2 28 70 is_stmt 0               # firmware/tengig/main.c:28:70
	move	$2, $1
	sw	$2, 40($fp)                     # 4-byte Folded Spill
	andi	$2, $1, 3
	sw	$2, 44($fp)                     # 4-byte Folded Spill
	beqz	$1, $BB22_9
	nop
# %bb.6:
	j	$BB22_7
	nop
$BB22_7:
	lw	$1, 44($fp)                     # 4-byte Folded Reload
	beqz	$1, $BB22_10
	nop
# %bb.8:
	j	$BB22_9
	nop
$BB22_9:
	lw	$5, 40($fp)                     # 4-byte Folded Reload
	lui	$1, %hi($__unnamed_134)
	addiu	$4, $1, %lo($__unnamed_134)
	jal	__ubsan_handle_type_mismatch_v1
	nop
	j	$BB22_10
	nop
$BB22_10:
	lw	$1, 36($fp)                     # 4-byte Folded Reload
	lw	$1, 20($1)
	sw	$1, 16($fp)                     # 4-byte Folded Spill
	addiu	$2, $zero, 64
$tmp217:
	.loc	4 145 5 is_stmt 1               # firmware/include/tengig/state.h:145:5 @[ firmware/tengig/main.c:28:89 ]
	#APP
	#NO_APP
	sw	$2, 20($fp)                     # 4-byte Folded Spill
	lw	$1, 20($fp)                     # 4-byte Folded Reload
	sw	$1, 64($fp)
	.loc	4 146 12                        # firmware/include/tengig/state.h:146:12 @[ firmware/tengig/main.c:28:89 ]
	lw	$1, 64($fp)
	sw	$1, 24($fp)                     # 4-byte Folded Spill
	move	$2, $1
	sw	$2, 28($fp)                     # 4-byte Folded Spill
$tmp218:
	.loc	2 28 94                         # firmware/tengig/main.c:28:94
	andi	$2, $1, 3
	sw	$2, 32($fp)                     # 4-byte Folded Spill
	beqz	$1, $BB22_14
	nop
# %bb.11:
	j	$BB22_12
	nop
$BB22_12:
	lw	$1, 32($fp)                     # 4-byte Folded Reload
	beqz	$1, $BB22_15
	nop
# %bb.13:
	j	$BB22_14
	nop
$BB22_14:
	lw	$5, 24($fp)                     # 4-byte Folded Reload
	lui	$1, %hi($__unnamed_135)
	addiu	$4, $1, %lo($__unnamed_135)
	jal	__ubsan_handle_type_mismatch_v1
	nop
	j	$BB22_15
	nop
$BB22_15:
	lw	$1, 16($fp)                     # 4-byte Folded Reload
	lw	$2, 28($fp)                     # 4-byte Folded Reload
	lw	$2, 160($2)
	.loc	2 28 86 is_stmt 0               # firmware/tengig/main.c:28:86
	xor	$1, $1, $2
	sltu	$2, $zero, $1
	.loc	2 28 48                         # firmware/tengig/main.c:28:48
	move	$sp, $fp
	lw	$fp, 72($sp)                    # 4-byte Folded Reload
	lw	$ra, 76($sp)                    # 4-byte Folded Reload
	addiu	$sp, $sp, 80
	jr	$ra
	nop
$tmp219:
	.set	at
	.set	macro
	.set	reorder
	.end	frames_have_arrived
$func_end22:
	.size	frames_have_arrived, $func_end22-frames_have_arrived
	.cfi_endproc
                                        # -- End function
	.p2align	2                               # -- Begin function writes_can_be_published
	.type	writes_can_be_published,@function
	.set	nomicromips
	.set	nomips16
	.ent	writes_can_be_published
writes_can_be_published:                # @writes_can_be_published
$tmp220:
$func_begin23 = $tmp220
	.loc	2 31 0 is_stmt 1                # firmware/tengig/main.c:31:0
	.cfi_startproc
	.frame	$fp,48,$ra
	.mask 	0xc0000000,-4
	.fmask	0x00000000,0
	.set	noreorder
	.set	nomacro
	.set	noat
# %bb.0:
	addiu	$sp, $sp, -48
	.cfi_def_cfa_offset 48
	sw	$ra, 44($sp)                    # 4-byte Folded Spill
	sw	$fp, 40($sp)                    # 4-byte Folded Spill
	.cfi_offset 31, -4
	.cfi_offset 30, -8
	move	$fp, $sp
	.cfi_def_cfa_register 30
	addiu	$2, $zero, 64
$tmp221:
	.loc	4 145 5 prologue_end            # firmware/include/tengig/state.h:145:5 @[ firmware/tengig/main.c:31:76 ]
	#APP
	#NO_APP
	sw	$2, 20($fp)                     # 4-byte Folded Spill
	lw	$1, 20($fp)                     # 4-byte Folded Reload
	sw	$1, 36($fp)
	.loc	4 146 12                        # firmware/include/tengig/state.h:146:12 @[ firmware/tengig/main.c:31:76 ]
	lw	$1, 36($fp)
	sw	$1, 24($fp)                     # 4-byte Folded Spill
	move	$2, $1
	sw	$2, 28($fp)                     # 4-byte Folded Spill
$tmp222:
	.loc	2 31 81                         # firmware/tengig/main.c:31:81
	andi	$2, $1, 3
	sw	$2, 32($fp)                     # 4-byte Folded Spill
	beqz	$1, $BB23_4
	nop
# %bb.1:
	j	$BB23_2
	nop
$BB23_2:
	lw	$1, 32($fp)                     # 4-byte Folded Reload
	beqz	$1, $BB23_5
	nop
# %bb.3:
	j	$BB23_4
	nop
$BB23_4:
	lw	$5, 24($fp)                     # 4-byte Folded Reload
	lui	$1, %hi($__unnamed_136)
	addiu	$4, $1, %lo($__unnamed_136)
	jal	__ubsan_handle_type_mismatch_v1
	nop
	j	$BB23_5
	nop
$BB23_5:
	lw	$1, 28($fp)                     # 4-byte Folded Reload
	addiu	$4, $1, 1480
	.loc	2 31 59 is_stmt 0               # firmware/tengig/main.c:31:59
	jal	dma_can_publish
	nop
	.loc	2 31 52                         # firmware/tengig/main.c:31:52
	move	$sp, $fp
	lw	$fp, 40($sp)                    # 4-byte Folded Reload
	lw	$ra, 44($sp)                    # 4-byte Folded Reload
	addiu	$sp, $sp, 48
	jr	$ra
	nop
$tmp223:
	.set	at
	.set	macro
	.set	reorder
	.end	writes_can_be_published
$func_end23:
	.size	writes_can_be_published, $func_end23-writes_can_be_published
	.cfi_endproc
                                        # -- End function
	.p2align	2                               # -- Begin function writes_are_done
	.type	writes_are_done,@function
	.set	nomicromips
	.set	nomips16
	.ent	writes_are_done
writes_are_done:                        # @writes_are_done
$tmp224:
$func_begin24 = $tmp224
	.loc	2 27 0 is_stmt 1                # firmware/tengig/main.c:27:0
	.cfi_startproc
	.frame	$fp,96,$ra
	.mask 	0xc0000000,-4
	.fmask	0x00000000,0
	.set	noreorder
	.set	nomacro
	.set	noat
# %bb.0:
	addiu	$sp, $sp, -96
	.cfi_def_cfa_offset 96
	sw	$ra, 92($sp)                    # 4-byte Folded Spill
	sw	$fp, 88($sp)                    # 4-byte Folded Spill
	.cfi_offset 31, -4
	.cfi_offset 30, -8
	move	$fp, $sp
	.cfi_def_cfa_register 30
	addiu	$2, $zero, 64
$tmp225:
	.loc	4 145 5 prologue_end            # firmware/include/tengig/state.h:145:5 @[ firmware/tengig/main.c:27:51 ]
	#APP
	#NO_APP
	sw	$2, 64($fp)                     # 4-byte Folded Spill
	lw	$1, 64($fp)                     # 4-byte Folded Reload
	sw	$1, 84($fp)
	.loc	4 146 12                        # firmware/include/tengig/state.h:146:12 @[ firmware/tengig/main.c:27:51 ]
	lw	$1, 84($fp)
	sw	$1, 68($fp)                     # 4-byte Folded Spill
	move	$2, $1
	sw	$2, 72($fp)                     # 4-byte Folded Spill
$tmp226:
	.loc	2 27 56                         # firmware/tengig/main.c:27:56
	andi	$2, $1, 3
	sw	$2, 76($fp)                     # 4-byte Folded Spill
	beqz	$1, $BB24_4
	nop
# %bb.1:
	j	$BB24_2
	nop
$BB24_2:
	lw	$1, 76($fp)                     # 4-byte Folded Reload
	beqz	$1, $BB24_5
	nop
# %bb.3:
	j	$BB24_4
	nop
$BB24_4:
	lw	$5, 68($fp)                     # 4-byte Folded Reload
	lui	$1, %hi($__unnamed_137)
	addiu	$4, $1, %lo($__unnamed_137)
	jal	__ubsan_handle_type_mismatch_v1
	nop
	j	$BB24_5
	nop
$BB24_5:
	lw	$1, 72($fp)                     # 4-byte Folded Reload
	move	$2, $1
	sw	$2, 52($fp)                     # 4-byte Folded Spill
	.loc	2 27 66 is_stmt 0               # firmware/tengig/main.c:27:66
	move	$2, $1
	sw	$2, 56($fp)                     # 4-byte Folded Spill
	andi	$2, $1, 3
	sw	$2, 60($fp)                     # 4-byte Folded Spill
	beqz	$1, $BB24_9
	nop
# %bb.6:
	j	$BB24_7
	nop
$BB24_7:
	lw	$1, 60($fp)                     # 4-byte Folded Reload
	beqz	$1, $BB24_10
	nop
# %bb.8:
	j	$BB24_9
	nop
$BB24_9:
	lw	$5, 56($fp)                     # 4-byte Folded Reload
	lui	$1, %hi($__unnamed_138)
	addiu	$4, $1, %lo($__unnamed_138)
	jal	__ubsan_handle_type_mismatch_v1
	nop
	j	$BB24_10
	nop
$BB24_10:
	lw	$1, 52($fp)                     # 4-byte Folded Reload
	lw	$1, 12($1)
	sw	$1, 32($fp)                     # 4-byte Folded Spill
	addiu	$2, $zero, 64
$tmp227:
	.loc	4 145 5 is_stmt 1               # firmware/include/tengig/state.h:145:5 @[ firmware/tengig/main.c:27:85 ]
	#APP
	#NO_APP
	sw	$2, 36($fp)                     # 4-byte Folded Spill
	lw	$1, 36($fp)                     # 4-byte Folded Reload
	sw	$1, 80($fp)
	.loc	4 146 12                        # firmware/include/tengig/state.h:146:12 @[ firmware/tengig/main.c:27:85 ]
	lw	$1, 80($fp)
	sw	$1, 40($fp)                     # 4-byte Folded Spill
	move	$2, $1
	sw	$2, 44($fp)                     # 4-byte Folded Spill
$tmp228:
	.loc	2 27 90                         # firmware/tengig/main.c:27:90
	andi	$2, $1, 3
	sw	$2, 48($fp)                     # 4-byte Folded Spill
	beqz	$1, $BB24_14
	nop
# %bb.11:
	j	$BB24_12
	nop
$BB24_12:
	lw	$1, 48($fp)                     # 4-byte Folded Reload
	beqz	$1, $BB24_15
	nop
# %bb.13:
	j	$BB24_14
	nop
$BB24_14:
	lw	$5, 40($fp)                     # 4-byte Folded Reload
	lui	$1, %hi($__unnamed_139)
	addiu	$4, $1, %lo($__unnamed_139)
	jal	__ubsan_handle_type_mismatch_v1
	nop
	j	$BB24_15
	nop
$BB24_15:
	lw	$1, 44($fp)                     # 4-byte Folded Reload
	addiu	$1, $1, 1480
	sw	$1, 20($fp)                     # 4-byte Folded Spill
	move	$2, $1
	sw	$2, 24($fp)                     # 4-byte Folded Spill
	.loc	2 27 97 is_stmt 0               # firmware/tengig/main.c:27:97
	andi	$2, $1, 3
	sw	$2, 28($fp)                     # 4-byte Folded Spill
	beqz	$1, $BB24_19
	nop
# %bb.16:
	j	$BB24_17
	nop
$BB24_17:
	lw	$1, 28($fp)                     # 4-byte Folded Reload
	beqz	$1, $BB24_20
	nop
# %bb.18:
	j	$BB24_19
	nop
$BB24_19:
	lw	$5, 20($fp)                     # 4-byte Folded Reload
	lui	$1, %hi($__unnamed_140)
	addiu	$4, $1, %lo($__unnamed_140)
	jal	__ubsan_handle_type_mismatch_v1
	nop
	j	$BB24_20
	nop
$BB24_20:
	lw	$1, 32($fp)                     # 4-byte Folded Reload
	lw	$2, 24($fp)                     # 4-byte Folded Reload
	lw	$2, 16($2)
	.loc	2 27 82                         # firmware/tengig/main.c:27:82
	xor	$1, $1, $2
	sltu	$2, $zero, $1
	.loc	2 27 44                         # firmware/tengig/main.c:27:44
	move	$sp, $fp
	lw	$fp, 88($sp)                    # 4-byte Folded Reload
	lw	$ra, 92($sp)                    # 4-byte Folded Reload
	addiu	$sp, $sp, 96
	jr	$ra
	nop
$tmp229:
	.set	at
	.set	macro
	.set	reorder
	.end	writes_are_done
$func_end24:
	.size	writes_are_done, $func_end24-writes_are_done
	.cfi_endproc
                                        # -- End function
	.p2align	2                               # -- Begin function received_can_be_returned
	.type	received_can_be_returned,@function
	.set	nomicromips
	.set	nomips16
	.ent	received_can_be_returned
received_can_be_returned:               # @received_can_be_returned
$tmp230:
$func_begin25 = $tmp230
	.loc	2 63 0 is_stmt 1                # firmware/tengig/main.c:63:0
	.cfi_startproc
	.frame	$fp,96,$ra
	.mask 	0xc0000000,-4
	.fmask	0x00000000,0
	.set	noreorder
	.set	nomacro
	.set	noat
# %bb.0:
	addiu	$sp, $sp, -96
	.cfi_def_cfa_offset 96
	sw	$ra, 92($sp)                    # 4-byte Folded Spill
	sw	$fp, 88($sp)                    # 4-byte Folded Spill
	.cfi_offset 31, -4
	.cfi_offset 30, -8
	move	$fp, $sp
	.cfi_def_cfa_register 30
	addiu	$2, $zero, 64
$tmp231:
	.loc	4 145 5 prologue_end            # firmware/include/tengig/state.h:145:5 @[ firmware/tengig/main.c:64:25 ]
	#APP
	#NO_APP
	sw	$2, 60($fp)                     # 4-byte Folded Spill
	lw	$1, 60($fp)                     # 4-byte Folded Reload
	sw	$1, 84($fp)
	.loc	4 146 12                        # firmware/include/tengig/state.h:146:12 @[ firmware/tengig/main.c:64:25 ]
	lw	$1, 84($fp)
	sw	$1, 64($fp)                     # 4-byte Folded Spill
	move	$2, $1
	sw	$2, 68($fp)                     # 4-byte Folded Spill
$tmp232:
	.loc	2 64 30                         # firmware/tengig/main.c:64:30
	andi	$2, $1, 3
	sw	$2, 72($fp)                     # 4-byte Folded Spill
	beqz	$1, $BB25_4
	nop
# %bb.1:
	j	$BB25_2
	nop
$BB25_2:
	lw	$1, 72($fp)                     # 4-byte Folded Reload
	beqz	$1, $BB25_5
	nop
# %bb.3:
	j	$BB25_4
	nop
$BB25_4:
	lw	$5, 64($fp)                     # 4-byte Folded Reload
	lui	$1, %hi($__unnamed_141)
	addiu	$4, $1, %lo($__unnamed_141)
	jal	__ubsan_handle_type_mismatch_v1
	nop
	j	$BB25_5
	nop
$BB25_5:
	lw	$1, 68($fp)                     # 4-byte Folded Reload
	addiu	$1, $1, 3076
	sw	$1, 40($fp)                     # 4-byte Folded Spill
	addiu	$2, $zero, 64
$tmp233:
	.loc	4 145 5                         # firmware/include/tengig/state.h:145:5 @[ firmware/tengig/main.c:64:45 ]
	#APP
	#NO_APP
	sw	$2, 44($fp)                     # 4-byte Folded Spill
	lw	$1, 44($fp)                     # 4-byte Folded Reload
	sw	$1, 80($fp)
	.loc	4 146 12                        # firmware/include/tengig/state.h:146:12 @[ firmware/tengig/main.c:64:45 ]
	lw	$1, 80($fp)
	sw	$1, 48($fp)                     # 4-byte Folded Spill
	move	$2, $1
	sw	$2, 52($fp)                     # 4-byte Folded Spill
$tmp234:
	.loc	2 64 50                         # firmware/tengig/main.c:64:50
	andi	$2, $1, 3
	sw	$2, 56($fp)                     # 4-byte Folded Spill
	beqz	$1, $BB25_9
	nop
# %bb.6:
	j	$BB25_7
	nop
$BB25_7:
	lw	$1, 56($fp)                     # 4-byte Folded Reload
	beqz	$1, $BB25_10
	nop
# %bb.8:
	j	$BB25_9
	nop
$BB25_9:
	lw	$5, 48($fp)                     # 4-byte Folded Reload
	lui	$1, %hi($__unnamed_142)
	addiu	$4, $1, %lo($__unnamed_142)
	jal	__ubsan_handle_type_mismatch_v1
	nop
	j	$BB25_10
	nop
$BB25_10:
	lw	$4, 40($fp)                     # 4-byte Folded Reload
	lw	$1, 52($fp)                     # 4-byte Folded Reload
	lw	$5, 168($1)
	.loc	2 64 12 is_stmt 0               # firmware/tengig/main.c:64:12
	jal	flag_is_set
	nop
	addiu	$1, $zero, 1
	sw	$1, 36($fp)                     # 4-byte Folded Spill
	.loc	2 64 69                         # firmware/tengig/main.c:64:69
	bnez	$2, $BB25_18
	nop
# %bb.11:
	j	$BB25_12
	nop
$BB25_12:
	.loc	2 0 69                          # firmware/tengig/main.c:0:69
	addiu	$2, $zero, 64
$tmp235:
	.loc	4 145 5 is_stmt 1               # firmware/include/tengig/state.h:145:5 @[ firmware/tengig/main.c:64:88 ]
	#APP
	#NO_APP
	sw	$2, 20($fp)                     # 4-byte Folded Spill
	lw	$1, 20($fp)                     # 4-byte Folded Reload
	sw	$1, 76($fp)
	.loc	4 146 12                        # firmware/include/tengig/state.h:146:12 @[ firmware/tengig/main.c:64:88 ]
	lw	$1, 76($fp)
	sw	$1, 24($fp)                     # 4-byte Folded Spill
	move	$2, $1
	sw	$2, 28($fp)                     # 4-byte Folded Spill
$tmp236:
	.loc	2 64 93                         # firmware/tengig/main.c:64:93
	andi	$2, $1, 3
	sw	$2, 32($fp)                     # 4-byte Folded Spill
	beqz	$1, $BB25_16
	nop
# %bb.13:
	j	$BB25_14
	nop
$BB25_14:
	lw	$1, 32($fp)                     # 4-byte Folded Reload
	beqz	$1, $BB25_17
	nop
# %bb.15:
	j	$BB25_16
	nop
$BB25_16:
	lw	$5, 24($fp)                     # 4-byte Folded Reload
	lui	$1, %hi($__unnamed_143)
	addiu	$4, $1, %lo($__unnamed_143)
	jal	__ubsan_handle_type_mismatch_v1
	nop
	j	$BB25_17
	nop
$BB25_17:
	lw	$1, 28($fp)                     # 4-byte Folded Reload
	lw	$4, 168($1)
	.loc	2 64 72 is_stmt 0               # firmware/tengig/main.c:64:72
	jal	returns_are_due
	nop
	sw	$2, 36($fp)                     # 4-byte Folded Spill
	.loc	2 64 69                         # firmware/tengig/main.c:64:69
	j	$BB25_18
	nop
$BB25_18:
	.loc	2 0 69                          # firmware/tengig/main.c:0:69
	lw	$1, 36($fp)                     # 4-byte Folded Reload
	.loc	2 64 5                          # firmware/tengig/main.c:64:5
	andi	$2, $1, 1
	move	$sp, $fp
	lw	$fp, 88($sp)                    # 4-byte Folded Reload
	lw	$ra, 92($sp)                    # 4-byte Folded Reload
	addiu	$sp, $sp, 96
	jr	$ra
	nop
$tmp237:
	.set	at
	.set	macro
	.set	reorder
	.end	received_can_be_returned
$func_end25:
	.size	received_can_be_returned, $func_end25-received_can_be_returned
	.cfi_endproc
                                        # -- End function
	.p2align	2                               # -- Begin function receive_bds_can_be_fetched
	.type	receive_bds_can_be_fetched,@function
	.set	nomicromips
	.set	nomips16
	.ent	receive_bds_can_be_fetched
receive_bds_can_be_fetched:             # @receive_bds_can_be_fetched
$tmp238:
$func_begin26 = $tmp238
	.loc	2 49 0 is_stmt 1                # firmware/tengig/main.c:49:0
	.cfi_startproc
	.frame	$fp,128,$ra
	.mask 	0xc0000000,-4
	.fmask	0x00000000,0
	.set	noreorder
	.set	nomacro
	.set	noat
# %bb.0:
	addiu	$sp, $sp, -128
	.cfi_def_cfa_offset 128
	sw	$ra, 124($sp)                   # 4-byte Folded Spill
	sw	$fp, 120($sp)                   # 4-byte Folded Spill
	.cfi_offset 31, -4
	.cfi_offset 30, -8
	move	$fp, $sp
	.cfi_def_cfa_register 30
	addiu	$2, $zero, 64
$tmp239:
	.loc	4 145 5 prologue_end            # firmware/include/tengig/state.h:145:5 @[ firmware/tengig/main.c:50:22 ]
	#APP
	#NO_APP
	sw	$2, 80($fp)                     # 4-byte Folded Spill
	lw	$1, 80($fp)                     # 4-byte Folded Reload
	sw	$1, 116($fp)
	.loc	4 146 12                        # firmware/include/tengig/state.h:146:12 @[ firmware/tengig/main.c:50:22 ]
	lw	$1, 116($fp)
	sw	$1, 84($fp)                     # 4-byte Folded Spill
	move	$2, $1
	sw	$2, 88($fp)                     # 4-byte Folded Spill
$tmp240:
	.loc	2 50 27                         # firmware/tengig/main.c:50:27
	andi	$2, $1, 3
	sw	$2, 92($fp)                     # 4-byte Folded Spill
	beqz	$1, $BB26_4
	nop
# %bb.1:
	j	$BB26_2
	nop
$BB26_2:
	lw	$1, 92($fp)                     # 4-byte Folded Reload
	beqz	$1, $BB26_5
	nop
# %bb.3:
	j	$BB26_4
	nop
$BB26_4:
	lw	$5, 84($fp)                     # 4-byte Folded Reload
	lui	$1, %hi($__unnamed_144)
	addiu	$4, $1, %lo($__unnamed_144)
	jal	__ubsan_handle_type_mismatch_v1
	nop
	j	$BB26_5
	nop
$BB26_5:
	lw	$1, 88($fp)                     # 4-byte Folded Reload
	lw	$1, 152($1)
	.loc	2 50 14 is_stmt 0               # firmware/tengig/main.c:50:14
	sw	$1, 104($fp)
	addiu	$2, $zero, 64
$tmp241:
	.loc	4 145 5 is_stmt 1               # firmware/include/tengig/state.h:145:5 @[ firmware/tengig/main.c:51:25 ]
	#APP
	#NO_APP
	sw	$2, 64($fp)                     # 4-byte Folded Spill
	lw	$1, 64($fp)                     # 4-byte Folded Reload
	sw	$1, 112($fp)
	.loc	4 146 12                        # firmware/include/tengig/state.h:146:12 @[ firmware/tengig/main.c:51:25 ]
	lw	$1, 112($fp)
	sw	$1, 68($fp)                     # 4-byte Folded Spill
	move	$2, $1
	sw	$2, 72($fp)                     # 4-byte Folded Spill
$tmp242:
	.loc	2 51 30                         # firmware/tengig/main.c:51:30
	andi	$2, $1, 3
	sw	$2, 76($fp)                     # 4-byte Folded Spill
	beqz	$1, $BB26_9
	nop
# %bb.6:
	j	$BB26_7
	nop
$BB26_7:
	lw	$1, 76($fp)                     # 4-byte Folded Reload
	beqz	$1, $BB26_10
	nop
# %bb.8:
	j	$BB26_9
	nop
$BB26_9:
	lw	$5, 68($fp)                     # 4-byte Folded Reload
	lui	$1, %hi($__unnamed_145)
	addiu	$4, $1, %lo($__unnamed_145)
	jal	__ubsan_handle_type_mismatch_v1
	nop
	j	$BB26_10
	nop
$BB26_10:
	lw	$1, 72($fp)                     # 4-byte Folded Reload
	move	$2, $1
	sw	$2, 52($fp)                     # 4-byte Folded Spill
	.loc	2 51 40 is_stmt 0               # firmware/tengig/main.c:51:40
	move	$2, $1
	sw	$2, 56($fp)                     # 4-byte Folded Spill
	andi	$2, $1, 3
	sw	$2, 60($fp)                     # 4-byte Folded Spill
	beqz	$1, $BB26_14
	nop
# %bb.11:
	j	$BB26_12
	nop
$BB26_12:
	lw	$1, 60($fp)                     # 4-byte Folded Reload
	beqz	$1, $BB26_15
	nop
# %bb.13:
	j	$BB26_14
	nop
$BB26_14:
	lw	$5, 56($fp)                     # 4-byte Folded Reload
	lui	$1, %hi($__unnamed_146)
	addiu	$4, $1, %lo($__unnamed_146)
	jal	__ubsan_handle_type_mismatch_v1
	nop
	j	$BB26_15
	nop
$BB26_15:
	lw	$1, 52($fp)                     # 4-byte Folded Reload
	lw	$1, 4($1)
	.loc	2 51 62                         # firmware/tengig/main.c:51:62
	lw	$2, 104($fp)
	.loc	2 51 60                         # firmware/tengig/main.c:51:60
	subu	$1, $1, $2
	.loc	2 51 14                         # firmware/tengig/main.c:51:14
	sw	$1, 100($fp)
	.loc	2 52 36 is_stmt 1               # firmware/tengig/main.c:52:36
	lw	$1, 104($fp)
	sw	$1, 32($fp)                     # 4-byte Folded Spill
	addiu	$2, $zero, 64
$tmp243:
	.loc	4 145 5                         # firmware/include/tengig/state.h:145:5 @[ firmware/tengig/main.c:52:44 ]
	#APP
	#NO_APP
	sw	$2, 36($fp)                     # 4-byte Folded Spill
	lw	$1, 36($fp)                     # 4-byte Folded Reload
	sw	$1, 108($fp)
	.loc	4 146 12                        # firmware/include/tengig/state.h:146:12 @[ firmware/tengig/main.c:52:44 ]
	lw	$1, 108($fp)
	sw	$1, 40($fp)                     # 4-byte Folded Spill
	move	$2, $1
	sw	$2, 44($fp)                     # 4-byte Folded Spill
$tmp244:
	.loc	2 52 49                         # firmware/tengig/main.c:52:49
	andi	$2, $1, 3
	sw	$2, 48($fp)                     # 4-byte Folded Spill
	beqz	$1, $BB26_19
	nop
# %bb.16:
	j	$BB26_17
	nop
$BB26_17:
	lw	$1, 48($fp)                     # 4-byte Folded Reload
	beqz	$1, $BB26_20
	nop
# %bb.18:
	j	$BB26_19
	nop
$BB26_19:
	lw	$5, 40($fp)                     # 4-byte Folded Reload
	lui	$1, %hi($__unnamed_147)
	addiu	$4, $1, %lo($__unnamed_147)
	jal	__ubsan_handle_type_mismatch_v1
	nop
	j	$BB26_20
	nop
$BB26_20:
	lw	$2, 32($fp)                     # 4-byte Folded Reload
	lw	$1, 44($fp)                     # 4-byte Folded Reload
	lw	$1, 176($1)
	.loc	2 52 33 is_stmt 0               # firmware/tengig/main.c:52:33
	subu	$1, $1, $2
	addiu	$1, $1, 256
	.loc	2 52 14                         # firmware/tengig/main.c:52:14
	sw	$1, 96($fp)
	.loc	2 53 12 is_stmt 1               # firmware/tengig/main.c:53:12
	lw	$1, 100($fp)
	addiu	$2, $zero, 0
	sw	$2, 28($fp)                     # 4-byte Folded Spill
	.loc	2 53 26 is_stmt 0               # firmware/tengig/main.c:53:26
	beqz	$1, $BB26_27
	nop
# %bb.21:
	j	$BB26_22
	nop
$BB26_22:
	.loc	2 53 29                         # firmware/tengig/main.c:53:29
	lw	$1, 96($fp)
	sw	$1, 24($fp)                     # 4-byte Folded Spill
	.loc	2 53 38                         # firmware/tengig/main.c:53:38
	lw	$1, 100($fp)
	sltiu	$1, $1, 16
	beqz	$1, $BB26_25
	nop
# %bb.23:
	j	$BB26_24
	nop
$BB26_24:
	.loc	2 53 54                         # firmware/tengig/main.c:53:54
	lw	$1, 100($fp)
	sw	$1, 20($fp)                     # 4-byte Folded Spill
	.loc	2 53 38                         # firmware/tengig/main.c:53:38
	j	$BB26_26
	nop
$BB26_25:
	.loc	2 0 38                          # firmware/tengig/main.c:0:38
	addiu	$1, $zero, 16
	sw	$1, 20($fp)                     # 4-byte Folded Spill
	.loc	2 53 38                         # firmware/tengig/main.c:53:38
	j	$BB26_26
	nop
$BB26_26:
	lw	$1, 24($fp)                     # 4-byte Folded Reload
	lw	$2, 20($fp)                     # 4-byte Folded Reload
	.loc	2 53 34                         # firmware/tengig/main.c:53:34
	sltu	$1, $1, $2
	xori	$1, $1, 1
	sw	$1, 28($fp)                     # 4-byte Folded Spill
	j	$BB26_27
	nop
$BB26_27:
	.loc	2 0 0                           # firmware/tengig/main.c:0
	lw	$1, 28($fp)                     # 4-byte Folded Reload
	.loc	2 53 5                          # firmware/tengig/main.c:53:5
	andi	$2, $1, 1
	move	$sp, $fp
	lw	$fp, 120($sp)                   # 4-byte Folded Reload
	lw	$ra, 124($sp)                   # 4-byte Folded Reload
	addiu	$sp, $sp, 128
	jr	$ra
	nop
$tmp245:
	.set	at
	.set	macro
	.set	reorder
	.end	receive_bds_can_be_fetched
$func_end26:
	.size	receive_bds_can_be_fetched, $func_end26-receive_bds_can_be_fetched
	.cfi_endproc
                                        # -- End function
	.p2align	2                               # -- Begin function event_is_waiting
	.type	event_is_waiting,@function
	.set	nomicromips
	.set	nomips16
	.ent	event_is_waiting
event_is_waiting:                       # @event_is_waiting
$tmp246:
$func_begin27 = $tmp246
	.file	13 "/work/trees/house" "firmware/include/tengig/events.h"
	.loc	13 15 0 is_stmt 1               # firmware/include/tengig/events.h:15:0
	.cfi_startproc
	.frame	$fp,72,$ra
	.mask 	0xc0000000,-4
	.fmask	0x00000000,0
	.set	noreorder
	.set	nomacro
	.set	noat
# %bb.0:
	addiu	$sp, $sp, -72
	.cfi_def_cfa_offset 72
	sw	$ra, 68($sp)                    # 4-byte Folded Spill
	sw	$fp, 64($sp)                    # 4-byte Folded Spill
	.cfi_offset 31, -4
	.cfi_offset 30, -8
	move	$fp, $sp
	.cfi_def_cfa_register 30
	addiu	$2, $zero, 64
$tmp247:
	.loc	4 145 5 prologue_end            # firmware/include/tengig/state.h:145:5 @[ firmware/include/tengig/events.h:15:52 ]
	#APP
	#NO_APP
	sw	$2, 40($fp)                     # 4-byte Folded Spill
	lw	$1, 40($fp)                     # 4-byte Folded Reload
	sw	$1, 60($fp)
	.loc	4 146 12                        # firmware/include/tengig/state.h:146:12 @[ firmware/include/tengig/events.h:15:52 ]
	lw	$1, 60($fp)
	sw	$1, 44($fp)                     # 4-byte Folded Spill
	move	$2, $1
	sw	$2, 48($fp)                     # 4-byte Folded Spill
$tmp248:
	.loc	13 15 57                        # firmware/include/tengig/events.h:15:57
	andi	$2, $1, 3
	sw	$2, 52($fp)                     # 4-byte Folded Spill
	beqz	$1, $BB27_4
	nop
# %bb.1:
	j	$BB27_2
	nop
$BB27_2:
	lw	$1, 52($fp)                     # 4-byte Folded Reload
	beqz	$1, $BB27_5
	nop
# %bb.3:
	j	$BB27_4
	nop
$BB27_4:
	lw	$5, 44($fp)                     # 4-byte Folded Reload
	lui	$1, %hi($__unnamed_148)
	addiu	$4, $1, %lo($__unnamed_148)
	jal	__ubsan_handle_type_mismatch_v1
	nop
	j	$BB27_5
	nop
$BB27_5:
	lw	$1, 48($fp)                     # 4-byte Folded Reload
	lw	$1, 2812($1)
	sw	$1, 20($fp)                     # 4-byte Folded Spill
	addiu	$2, $zero, 64
$tmp249:
	.loc	4 145 5                         # firmware/include/tengig/state.h:145:5 @[ firmware/include/tengig/events.h:15:73 ]
	#APP
	#NO_APP
	sw	$2, 24($fp)                     # 4-byte Folded Spill
	lw	$1, 24($fp)                     # 4-byte Folded Reload
	sw	$1, 56($fp)
	.loc	4 146 12                        # firmware/include/tengig/state.h:146:12 @[ firmware/include/tengig/events.h:15:73 ]
	lw	$1, 56($fp)
	sw	$1, 28($fp)                     # 4-byte Folded Spill
	move	$2, $1
	sw	$2, 32($fp)                     # 4-byte Folded Spill
$tmp250:
	.loc	13 15 78                        # firmware/include/tengig/events.h:15:78
	andi	$2, $1, 3
	sw	$2, 36($fp)                     # 4-byte Folded Spill
	beqz	$1, $BB27_9
	nop
# %bb.6:
	j	$BB27_7
	nop
$BB27_7:
	lw	$1, 36($fp)                     # 4-byte Folded Reload
	beqz	$1, $BB27_10
	nop
# %bb.8:
	j	$BB27_9
	nop
$BB27_9:
	lw	$5, 28($fp)                     # 4-byte Folded Reload
	lui	$1, %hi($__unnamed_149)
	addiu	$4, $1, %lo($__unnamed_149)
	jal	__ubsan_handle_type_mismatch_v1
	nop
	j	$BB27_10
	nop
$BB27_10:
	lw	$1, 20($fp)                     # 4-byte Folded Reload
	lw	$2, 32($fp)                     # 4-byte Folded Reload
	lw	$2, 2816($2)
	.loc	13 15 70 is_stmt 0              # firmware/include/tengig/events.h:15:70
	xor	$1, $1, $2
	sltu	$2, $zero, $1
	.loc	13 15 45                        # firmware/include/tengig/events.h:15:45
	move	$sp, $fp
	lw	$fp, 64($sp)                    # 4-byte Folded Reload
	lw	$ra, 68($sp)                    # 4-byte Folded Reload
	addiu	$sp, $sp, 72
	jr	$ra
	nop
$tmp251:
	.set	at
	.set	macro
	.set	reorder
	.end	event_is_waiting
$func_end27:
	.size	event_is_waiting, $func_end27-event_is_waiting
	.cfi_endproc
                                        # -- End function
	.p2align	2                               # -- Begin function returns_are_due
	.type	returns_are_due,@function
	.set	nomicromips
	.set	nomips16
	.ent	returns_are_due
returns_are_due:                        # @returns_are_due
$tmp252:
$func_begin28 = $tmp252
	.file	14 "/work/trees/house" "firmware/include/tengig/receive.h"
	.loc	14 17 0 is_stmt 1               # firmware/include/tengig/receive.h:17:0
	.cfi_startproc
	.frame	$fp,112,$ra
	.mask 	0xc0000000,-4
	.fmask	0x00000000,0
	.set	noreorder
	.set	nomacro
	.set	noat
# %bb.0:
	addiu	$sp, $sp, -112
	.cfi_def_cfa_offset 112
	sw	$ra, 108($sp)                   # 4-byte Folded Spill
	sw	$fp, 104($sp)                   # 4-byte Folded Spill
	.cfi_offset 31, -4
	.cfi_offset 30, -8
	move	$fp, $sp
	.cfi_def_cfa_register 30
	sw	$4, 84($fp)
$tmp253:
	.loc	14 18 24 prologue_end           # firmware/include/tengig/receive.h:18:24
	lw	$1, 84($fp)
	sw	$1, 60($fp)                     # 4-byte Folded Spill
	addiu	$2, $zero, 64
$tmp254:
	.loc	4 145 5                         # firmware/include/tengig/state.h:145:5 @[ firmware/include/tengig/receive.h:18:36 ]
	#APP
	#NO_APP
	sw	$2, 64($fp)                     # 4-byte Folded Spill
	lw	$1, 64($fp)                     # 4-byte Folded Reload
	sw	$1, 100($fp)
	.loc	4 146 12                        # firmware/include/tengig/state.h:146:12 @[ firmware/include/tengig/receive.h:18:36 ]
	lw	$1, 100($fp)
	sw	$1, 68($fp)                     # 4-byte Folded Spill
	move	$2, $1
	sw	$2, 72($fp)                     # 4-byte Folded Spill
$tmp255:
	.loc	14 18 41                        # firmware/include/tengig/receive.h:18:41
	andi	$2, $1, 3
	sw	$2, 76($fp)                     # 4-byte Folded Spill
	beqz	$1, $BB28_4
	nop
# %bb.1:
	j	$BB28_2
	nop
$BB28_2:
	lw	$1, 76($fp)                     # 4-byte Folded Reload
	beqz	$1, $BB28_5
	nop
# %bb.3:
	j	$BB28_4
	nop
$BB28_4:
	lw	$5, 68($fp)                     # 4-byte Folded Reload
	lui	$1, %hi($__unnamed_150)
	addiu	$4, $1, %lo($__unnamed_150)
	jal	__ubsan_handle_type_mismatch_v1
	nop
	j	$BB28_5
	nop
$BB28_5:
	lw	$1, 60($fp)                     # 4-byte Folded Reload
	lw	$2, 72($fp)                     # 4-byte Folded Reload
	lw	$2, 172($2)
	.loc	14 18 34 is_stmt 0              # firmware/include/tengig/receive.h:18:34
	subu	$1, $1, $2
	.loc	14 18 14                        # firmware/include/tengig/receive.h:18:14
	sw	$1, 80($fp)
$tmp256:
	.loc	14 19 9 is_stmt 1               # firmware/include/tengig/receive.h:19:9
	lw	$1, 80($fp)
	.loc	14 19 17 is_stmt 0              # firmware/include/tengig/receive.h:19:17
	bnez	$1, $BB28_8
	nop
# %bb.6:
	j	$BB28_7
	nop
$BB28_7:
	.loc	14 0 17                         # firmware/include/tengig/receive.h:0:17
	addiu	$1, $zero, 0
	.loc	14 20 9 is_stmt 1               # firmware/include/tengig/receive.h:20:9
	sb	$zero, 91($fp)
	j	$BB28_24
	nop
$tmp257:
$BB28_8:
	.loc	14 21 12                        # firmware/include/tengig/receive.h:21:12
	lw	$1, 80($fp)
	addiu	$2, $zero, 1
	.loc	14 21 41 is_stmt 0              # firmware/include/tengig/receive.h:21:41
	sltiu	$1, $1, 8
	sw	$2, 56($fp)                     # 4-byte Folded Spill
	beqz	$1, $BB28_23
	nop
# %bb.9:
	j	$BB28_10
	nop
$BB28_10:
	.loc	14 21 44                        # firmware/include/tengig/receive.h:21:44
	lw	$1, 84($fp)
	sw	$1, 36($fp)                     # 4-byte Folded Spill
	addiu	$2, $zero, 64
$tmp258:
	.loc	4 145 5 is_stmt 1               # firmware/include/tengig/state.h:145:5 @[ firmware/include/tengig/receive.h:21:57 ]
	#APP
	#NO_APP
	sw	$2, 40($fp)                     # 4-byte Folded Spill
	lw	$1, 40($fp)                     # 4-byte Folded Reload
	sw	$1, 96($fp)
	.loc	4 146 12                        # firmware/include/tengig/state.h:146:12 @[ firmware/include/tengig/receive.h:21:57 ]
	lw	$1, 96($fp)
	sw	$1, 44($fp)                     # 4-byte Folded Spill
	move	$2, $1
	sw	$2, 48($fp)                     # 4-byte Folded Spill
$tmp259:
	.loc	14 21 62                        # firmware/include/tengig/receive.h:21:62
	andi	$2, $1, 3
	sw	$2, 52($fp)                     # 4-byte Folded Spill
	beqz	$1, $BB28_14
	nop
# %bb.11:
	j	$BB28_12
	nop
$BB28_12:
	lw	$1, 52($fp)                     # 4-byte Folded Reload
	beqz	$1, $BB28_15
	nop
# %bb.13:
	j	$BB28_14
	nop
$BB28_14:
	lw	$5, 44($fp)                     # 4-byte Folded Reload
	lui	$1, %hi($__unnamed_151)
	addiu	$4, $1, %lo($__unnamed_151)
	jal	__ubsan_handle_type_mismatch_v1
	nop
	j	$BB28_15
	nop
$BB28_15:
	lw	$1, 36($fp)                     # 4-byte Folded Reload
	lw	$2, 48($fp)                     # 4-byte Folded Reload
	lw	$2, 160($2)
	addiu	$3, $zero, 1
	sw	$3, 56($fp)                     # 4-byte Folded Spill
	.loc	14 21 78 is_stmt 0              # firmware/include/tengig/receive.h:21:78
	beq	$1, $2, $BB28_23
	nop
# %bb.16:
	j	$BB28_17
	nop
$BB28_17:
	.loc	14 21 81                        # firmware/include/tengig/receive.h:21:81
	lw	$1, 84($fp)
	sw	$1, 16($fp)                     # 4-byte Folded Spill
	addiu	$2, $zero, 64
$tmp260:
	.loc	4 145 5 is_stmt 1               # firmware/include/tengig/state.h:145:5 @[ firmware/include/tengig/receive.h:21:94 ]
	#APP
	#NO_APP
	sw	$2, 20($fp)                     # 4-byte Folded Spill
	lw	$1, 20($fp)                     # 4-byte Folded Reload
	sw	$1, 92($fp)
	.loc	4 146 12                        # firmware/include/tengig/state.h:146:12 @[ firmware/include/tengig/receive.h:21:94 ]
	lw	$1, 92($fp)
	sw	$1, 24($fp)                     # 4-byte Folded Spill
	move	$2, $1
	sw	$2, 28($fp)                     # 4-byte Folded Spill
$tmp261:
	.loc	14 21 99                        # firmware/include/tengig/receive.h:21:99
	andi	$2, $1, 3
	sw	$2, 32($fp)                     # 4-byte Folded Spill
	beqz	$1, $BB28_21
	nop
# %bb.18:
	j	$BB28_19
	nop
$BB28_19:
	lw	$1, 32($fp)                     # 4-byte Folded Reload
	beqz	$1, $BB28_22
	nop
# %bb.20:
	j	$BB28_21
	nop
$BB28_21:
	lw	$5, 24($fp)                     # 4-byte Folded Reload
	lui	$1, %hi($__unnamed_152)
	addiu	$4, $1, %lo($__unnamed_152)
	jal	__ubsan_handle_type_mismatch_v1
	nop
	j	$BB28_22
	nop
$BB28_22:
	lw	$1, 16($fp)                     # 4-byte Folded Reload
	lw	$2, 28($fp)                     # 4-byte Folded Reload
	lw	$2, 156($2)
	.loc	14 21 91 is_stmt 0              # firmware/include/tengig/receive.h:21:91
	xor	$1, $1, $2
	sltiu	$1, $1, 1
	sw	$1, 56($fp)                     # 4-byte Folded Spill
	.loc	14 21 78                        # firmware/include/tengig/receive.h:21:78
	j	$BB28_23
	nop
$BB28_23:
	.loc	14 0 78                         # firmware/include/tengig/receive.h:0:78
	lw	$1, 56($fp)                     # 4-byte Folded Reload
	.loc	14 21 5                         # firmware/include/tengig/receive.h:21:5
	andi	$1, $1, 1
	sb	$1, 91($fp)
	j	$BB28_24
	nop
$BB28_24:
	.loc	14 22 1 is_stmt 1               # firmware/include/tengig/receive.h:22:1
	lbu	$2, 91($fp)
	move	$sp, $fp
	lw	$fp, 104($sp)                   # 4-byte Folded Reload
	lw	$ra, 108($sp)                   # 4-byte Folded Reload
	addiu	$sp, $sp, 112
	jr	$ra
	nop
$tmp262:
	.set	at
	.set	macro
	.set	reorder
	.end	returns_are_due
$func_end28:
	.size	returns_are_due, $func_end28-returns_are_due
	.cfi_endproc
                                        # -- End function
	.type	is_initialised,@object          # @is_initialised
	.local	is_initialised
	.comm	is_initialised,4,4
	.type	$.src,@object                   # @.src
	.section	.rodata.str1.1,"aMS",@progbits,1
$.src:
	.asciz	"firmware/tengig/main.c"
	.size	$.src, 23

	.type	$__unnamed_153,@object          # @0
	.section	.rodata,"a",@progbits
	.p2align	3, 0x0
$__unnamed_153:
	.2byte	0                               # 0x0
	.2byte	6                               # 0x6
	.asciz	"'bool'"
	.space	1
	.size	$__unnamed_153, 12

	.type	$__unnamed_1,@object            # @1
	.data
	.p2align	3, 0x0
$__unnamed_1:
	.4byte	$.src
	.4byte	184                             # 0xb8
	.4byte	34                              # 0x22
	.4byte	$__unnamed_153
	.size	$__unnamed_1, 16

	.type	$__unnamed_2,@object            # @2
	.p2align	3, 0x0
$__unnamed_2:
	.4byte	$.src
	.4byte	185                             # 0xb9
	.4byte	17                              # 0x11
	.4byte	$__unnamed_153
	.size	$__unnamed_2, 16

	.type	$__unnamed_3,@object            # @3
	.p2align	3, 0x0
$__unnamed_3:
	.4byte	$.src
	.4byte	186                             # 0xba
	.4byte	14                              # 0xe
	.4byte	$__unnamed_153
	.size	$__unnamed_3, 16

	.type	$__unnamed_154,@object          # @4
	.section	.rodata,"a",@progbits
	.p2align	4, 0x0
$__unnamed_154:
	.2byte	65535                           # 0xffff
	.2byte	0                               # 0x0
	.asciz	"'struct state'"
	.space	1
	.size	$__unnamed_154, 20

	.type	$__unnamed_4,@object            # @5
	.data
	.p2align	4, 0x0
$__unnamed_4:
	.4byte	$.src
	.4byte	152                             # 0x98
	.4byte	41                              # 0x29
	.4byte	$__unnamed_154
	.byte	2                               # 0x2
	.byte	3                               # 0x3
	.space	2
	.size	$__unnamed_4, 20

	.type	$__unnamed_5,@object            # @6
	.p2align	4, 0x0
$__unnamed_5:
	.4byte	$.src
	.4byte	153                             # 0x99
	.4byte	17                              # 0x11
	.4byte	$__unnamed_154
	.byte	2                               # 0x2
	.byte	3                               # 0x3
	.space	2
	.size	$__unnamed_5, 20

	.type	$__unnamed_155,@object          # @7
	.section	.rodata,"a",@progbits
	.p2align	4, 0x0
$__unnamed_155:
	.2byte	65535                           # 0xffff
	.2byte	0                               # 0x0
	.asciz	"'struct host_rings'"
	.size	$__unnamed_155, 24

	.type	$__unnamed_6,@object            # @8
	.data
	.p2align	4, 0x0
$__unnamed_6:
	.4byte	$.src
	.4byte	153                             # 0x99
	.4byte	17                              # 0x11
	.4byte	$__unnamed_155
	.byte	2                               # 0x2
	.byte	3                               # 0x3
	.space	2
	.size	$__unnamed_6, 20

	.type	$__unnamed_7,@object            # @9
	.p2align	4, 0x0
$__unnamed_7:
	.4byte	$.src
	.4byte	155                             # 0x9b
	.4byte	25                              # 0x19
	.4byte	$__unnamed_154
	.byte	2                               # 0x2
	.byte	3                               # 0x3
	.space	2
	.size	$__unnamed_7, 20

	.type	$__unnamed_8,@object            # @10
	.p2align	4, 0x0
$__unnamed_8:
	.4byte	$.src
	.4byte	155                             # 0x9b
	.4byte	25                              # 0x19
	.4byte	$__unnamed_155
	.byte	2                               # 0x2
	.byte	3                               # 0x3
	.space	2
	.size	$__unnamed_8, 20

	.type	$__unnamed_156,@object          # @11
	.section	.rodata,"a",@progbits
	.p2align	4, 0x0
$__unnamed_156:
	.2byte	0                               # 0x0
	.2byte	10                              # 0xa
	.asciz	"'uint32_t' (aka 'unsigned int')"
	.size	$__unnamed_156, 36

	.type	$__unnamed_9,@object            # @12
	.data
	.p2align	4, 0x0
$__unnamed_9:
	.4byte	$.src
	.4byte	155                             # 0x9b
	.4byte	30                              # 0x1e
	.4byte	$__unnamed_156
	.byte	2                               # 0x2
	.byte	0                               # 0x0
	.space	2
	.size	$__unnamed_9, 20

	.type	$__unnamed_10,@object           # @13
	.p2align	4, 0x0
$__unnamed_10:
	.4byte	$.src
	.4byte	156                             # 0x9c
	.4byte	43                              # 0x2b
	.4byte	$__unnamed_154
	.byte	2                               # 0x2
	.byte	3                               # 0x3
	.space	2
	.size	$__unnamed_10, 20

	.type	$__unnamed_157,@object          # @14
	.section	.rodata,"a",@progbits
	.p2align	4, 0x0
$__unnamed_157:
	.2byte	65535                           # 0xffff
	.2byte	0                               # 0x0
	.asciz	"'struct settings'"
	.size	$__unnamed_157, 22

	.type	$__unnamed_11,@object           # @15
	.data
	.p2align	4, 0x0
$__unnamed_11:
	.4byte	$.src
	.4byte	156                             # 0x9c
	.4byte	43                              # 0x2b
	.4byte	$__unnamed_157
	.byte	2                               # 0x2
	.byte	3                               # 0x3
	.space	2
	.size	$__unnamed_11, 20

	.type	$__unnamed_12,@object           # @16
	.p2align	4, 0x0
$__unnamed_12:
	.4byte	$.src
	.4byte	156                             # 0x9c
	.4byte	52                              # 0x34
	.4byte	$__unnamed_156
	.byte	2                               # 0x2
	.byte	0                               # 0x0
	.space	2
	.size	$__unnamed_12, 20

	.type	$__unnamed_13,@object           # @17
	.p2align	4, 0x0
$__unnamed_13:
	.4byte	$.src
	.4byte	156                             # 0x9c
	.4byte	10                              # 0xa
	.4byte	$__unnamed_154
	.byte	2                               # 0x2
	.byte	3                               # 0x3
	.space	2
	.size	$__unnamed_13, 20

	.type	$__unnamed_158,@object          # @18
	.section	.rodata,"a",@progbits
	.p2align	4, 0x0
$__unnamed_158:
	.2byte	65535                           # 0xffff
	.2byte	0                               # 0x0
	.asciz	"'struct mac_receive_registers'"
	.space	1
	.size	$__unnamed_158, 36

	.type	$__unnamed_14,@object           # @19
	.data
	.p2align	4, 0x0
$__unnamed_14:
	.4byte	$.src
	.4byte	157                             # 0x9d
	.4byte	24                              # 0x18
	.4byte	$__unnamed_158
	.byte	2                               # 0x2
	.byte	3                               # 0x3
	.space	2
	.size	$__unnamed_14, 20

	.type	$__unnamed_15,@object           # @20
	.p2align	4, 0x0
$__unnamed_15:
	.4byte	$.src
	.4byte	158                             # 0x9e
	.4byte	24                              # 0x18
	.4byte	$__unnamed_158
	.byte	2                               # 0x2
	.byte	3                               # 0x3
	.space	2
	.size	$__unnamed_15, 20

	.type	$__unnamed_16,@object           # @21
	.p2align	4, 0x0
$__unnamed_16:
	.4byte	$.src
	.4byte	159                             # 0x9f
	.4byte	24                              # 0x18
	.4byte	$__unnamed_158
	.byte	2                               # 0x2
	.byte	3                               # 0x3
	.space	2
	.size	$__unnamed_16, 20

	.type	$__unnamed_159,@object          # @22
	.section	.rodata,"a",@progbits
	.p2align	4, 0x0
$__unnamed_159:
	.2byte	65535                           # 0xffff
	.2byte	0                               # 0x0
	.asciz	"'struct mailboxes'"
	.space	1
	.size	$__unnamed_159, 24

	.type	$__unnamed_17,@object           # @23
	.data
	.p2align	4, 0x0
$__unnamed_17:
	.4byte	$.src
	.4byte	160                             # 0xa0
	.4byte	95                              # 0x5f
	.4byte	$__unnamed_159
	.byte	2                               # 0x2
	.byte	3                               # 0x3
	.space	2
	.size	$__unnamed_17, 20

	.type	$__unnamed_18,@object           # @24
	.p2align	4, 0x0
$__unnamed_18:
	.4byte	$.src
	.4byte	161                             # 0xa1
	.4byte	98                              # 0x62
	.4byte	$__unnamed_159
	.byte	2                               # 0x2
	.byte	3                               # 0x3
	.space	2
	.size	$__unnamed_18, 20

	.type	$__unnamed_19,@object           # @25
	.p2align	4, 0x0
$__unnamed_19:
	.4byte	$.src
	.4byte	162                             # 0xa2
	.4byte	101                             # 0x65
	.4byte	$__unnamed_159
	.byte	2                               # 0x2
	.byte	3                               # 0x3
	.space	2
	.size	$__unnamed_19, 20

	.type	$__unnamed_20,@object           # @26
	.p2align	4, 0x0
$__unnamed_20:
	.4byte	$.src
	.4byte	163                             # 0xa3
	.4byte	36                              # 0x24
	.4byte	$__unnamed_158
	.byte	2                               # 0x2
	.byte	3                               # 0x3
	.space	2
	.size	$__unnamed_20, 20

	.type	$__unnamed_21,@object           # @27
	.p2align	4, 0x0
$__unnamed_21:
	.4byte	$.src
	.4byte	163                             # 0xa3
	.4byte	106                             # 0x6a
	.4byte	$__unnamed_159
	.byte	2                               # 0x2
	.byte	3                               # 0x3
	.space	2
	.size	$__unnamed_21, 20

	.type	$__unnamed_46,@object           # @28
	.p2align	4, 0x0
$__unnamed_46:
	.4byte	$.src
	.4byte	128                             # 0x80
	.4byte	41                              # 0x29
	.4byte	$__unnamed_154
	.byte	2                               # 0x2
	.byte	3                               # 0x3
	.space	2
	.size	$__unnamed_46, 20

	.type	$__unnamed_47,@object           # @29
	.p2align	4, 0x0
$__unnamed_47:
	.4byte	$.src
	.4byte	130                             # 0x82
	.4byte	21                              # 0x15
	.4byte	$__unnamed_159
	.byte	2                               # 0x2
	.byte	3                               # 0x3
	.space	2
	.size	$__unnamed_47, 20

	.type	$__unnamed_48,@object           # @30
	.p2align	4, 0x0
$__unnamed_48:
	.4byte	$.src
	.4byte	130                             # 0x82
	.4byte	49                              # 0x31
	.4byte	$__unnamed_159
	.byte	2                               # 0x2
	.byte	3                               # 0x3
	.space	2
	.size	$__unnamed_48, 20

	.type	$__unnamed_49,@object           # @31
	.p2align	4, 0x0
$__unnamed_49:
	.4byte	$.src
	.4byte	130                             # 0x82
	.4byte	78                              # 0x4e
	.4byte	$__unnamed_159
	.byte	2                               # 0x2
	.byte	3                               # 0x3
	.space	2
	.size	$__unnamed_49, 20

	.type	$__unnamed_50,@object           # @32
	.p2align	4, 0x0
$__unnamed_50:
	.4byte	$.src
	.4byte	130                             # 0x82
	.4byte	110                             # 0x6e
	.4byte	$__unnamed_159
	.byte	2                               # 0x2
	.byte	3                               # 0x3
	.space	2
	.size	$__unnamed_50, 20

	.type	$__unnamed_51,@object           # @33
	.p2align	4, 0x0
$__unnamed_51:
	.4byte	$.src
	.4byte	131                             # 0x83
	.4byte	15                              # 0xf
	.4byte	$__unnamed_154
	.byte	2                               # 0x2
	.byte	3                               # 0x3
	.space	2
	.size	$__unnamed_51, 20

	.type	$__unnamed_52,@object           # @34
	.p2align	4, 0x0
$__unnamed_52:
	.4byte	$.src
	.4byte	131                             # 0x83
	.4byte	40                              # 0x28
	.4byte	$__unnamed_154
	.byte	2                               # 0x2
	.byte	3                               # 0x3
	.space	2
	.size	$__unnamed_52, 20

	.type	$__unnamed_53,@object           # @35
	.p2align	4, 0x0
$__unnamed_53:
	.4byte	$.src
	.4byte	131                             # 0x83
	.4byte	61                              # 0x3d
	.4byte	$__unnamed_154
	.byte	2                               # 0x2
	.byte	3                               # 0x3
	.space	2
	.size	$__unnamed_53, 20

	.type	$__unnamed_54,@object           # @36
	.p2align	4, 0x0
$__unnamed_54:
	.4byte	$.src
	.4byte	131                             # 0x83
	.4byte	88                              # 0x58
	.4byte	$__unnamed_154
	.byte	2                               # 0x2
	.byte	3                               # 0x3
	.space	2
	.size	$__unnamed_54, 20

	.type	$__unnamed_55,@object           # @37
	.p2align	4, 0x0
$__unnamed_55:
	.4byte	$.src
	.4byte	131                             # 0x83
	.4byte	111                             # 0x6f
	.4byte	$__unnamed_154
	.byte	2                               # 0x2
	.byte	3                               # 0x3
	.space	2
	.size	$__unnamed_55, 20

	.type	$__unnamed_56,@object           # @38
	.p2align	4, 0x0
$__unnamed_56:
	.4byte	$.src
	.4byte	132                             # 0x84
	.4byte	15                              # 0xf
	.4byte	$__unnamed_154
	.byte	2                               # 0x2
	.byte	3                               # 0x3
	.space	2
	.size	$__unnamed_56, 20

	.type	$__unnamed_57,@object           # @39
	.p2align	4, 0x0
$__unnamed_57:
	.4byte	$.src
	.4byte	132                             # 0x84
	.4byte	40                              # 0x28
	.4byte	$__unnamed_154
	.byte	2                               # 0x2
	.byte	3                               # 0x3
	.space	2
	.size	$__unnamed_57, 20

	.type	$__unnamed_58,@object           # @40
	.p2align	4, 0x0
$__unnamed_58:
	.4byte	$.src
	.4byte	132                             # 0x84
	.4byte	66                              # 0x42
	.4byte	$__unnamed_154
	.byte	2                               # 0x2
	.byte	3                               # 0x3
	.space	2
	.size	$__unnamed_58, 20

	.type	$__unnamed_59,@object           # @41
	.p2align	4, 0x0
$__unnamed_59:
	.4byte	$.src
	.4byte	132                             # 0x84
	.4byte	90                              # 0x5a
	.4byte	$__unnamed_154
	.byte	2                               # 0x2
	.byte	3                               # 0x3
	.space	2
	.size	$__unnamed_59, 20

	.type	$__unnamed_60,@object           # @42
	.p2align	4, 0x0
$__unnamed_60:
	.4byte	$.src
	.4byte	133                             # 0x85
	.4byte	15                              # 0xf
	.4byte	$__unnamed_154
	.byte	2                               # 0x2
	.byte	3                               # 0x3
	.space	2
	.size	$__unnamed_60, 20

	.type	$__unnamed_61,@object           # @43
	.p2align	4, 0x0
$__unnamed_61:
	.4byte	$.src
	.4byte	133                             # 0x85
	.4byte	43                              # 0x2b
	.4byte	$__unnamed_154
	.byte	2                               # 0x2
	.byte	3                               # 0x3
	.space	2
	.size	$__unnamed_61, 20

	.type	$__unnamed_62,@object           # @44
	.p2align	4, 0x0
$__unnamed_62:
	.4byte	$.src
	.4byte	133                             # 0x85
	.4byte	69                              # 0x45
	.4byte	$__unnamed_154
	.byte	2                               # 0x2
	.byte	3                               # 0x3
	.space	2
	.size	$__unnamed_62, 20

	.type	$__unnamed_63,@object           # @45
	.p2align	4, 0x0
$__unnamed_63:
	.4byte	$.src
	.4byte	133                             # 0x85
	.4byte	92                              # 0x5c
	.4byte	$__unnamed_154
	.byte	2                               # 0x2
	.byte	3                               # 0x3
	.space	2
	.size	$__unnamed_63, 20

	.type	$__unnamed_64,@object           # @46
	.p2align	4, 0x0
$__unnamed_64:
	.4byte	$.src
	.4byte	134                             # 0x86
	.4byte	15                              # 0xf
	.4byte	$__unnamed_154
	.byte	2                               # 0x2
	.byte	3                               # 0x3
	.space	2
	.size	$__unnamed_64, 20

	.type	$__unnamed_65,@object           # @47
	.p2align	4, 0x0
$__unnamed_65:
	.4byte	$.src
	.4byte	134                             # 0x86
	.4byte	39                              # 0x27
	.4byte	$__unnamed_154
	.byte	2                               # 0x2
	.byte	3                               # 0x3
	.space	2
	.size	$__unnamed_65, 20

	.type	$__unnamed_66,@object           # @48
	.p2align	4, 0x0
$__unnamed_66:
	.4byte	$.src
	.4byte	134                             # 0x86
	.4byte	63                              # 0x3f
	.4byte	$__unnamed_154
	.byte	2                               # 0x2
	.byte	3                               # 0x3
	.space	2
	.size	$__unnamed_66, 20

	.type	$__unnamed_160,@object          # @49
	.section	.rodata,"a",@progbits
	.p2align	4, 0x0
$__unnamed_160:
	.2byte	65535                           # 0xffff
	.2byte	0                               # 0x0
	.asciz	"'struct dma_queue'"
	.space	1
	.size	$__unnamed_160, 24

	.type	$__unnamed_67,@object           # @50
	.data
	.p2align	4, 0x0
$__unnamed_67:
	.4byte	$.src
	.4byte	134                             # 0x86
	.4byte	63                              # 0x3f
	.4byte	$__unnamed_160
	.byte	2                               # 0x2
	.byte	3                               # 0x3
	.space	2
	.size	$__unnamed_67, 20

	.type	$__unnamed_68,@object           # @51
	.p2align	4, 0x0
$__unnamed_68:
	.4byte	$.src
	.4byte	134                             # 0x86
	.4byte	86                              # 0x56
	.4byte	$__unnamed_154
	.byte	2                               # 0x2
	.byte	3                               # 0x3
	.space	2
	.size	$__unnamed_68, 20

	.type	$__unnamed_69,@object           # @52
	.p2align	4, 0x0
$__unnamed_69:
	.4byte	$.src
	.4byte	134                             # 0x86
	.4byte	86                              # 0x56
	.4byte	$__unnamed_160
	.byte	2                               # 0x2
	.byte	3                               # 0x3
	.space	2
	.size	$__unnamed_69, 20

	.type	$__unnamed_70,@object           # @53
	.p2align	4, 0x0
$__unnamed_70:
	.4byte	$.src
	.4byte	134                             # 0x86
	.4byte	109                             # 0x6d
	.4byte	$__unnamed_154
	.byte	2                               # 0x2
	.byte	3                               # 0x3
	.space	2
	.size	$__unnamed_70, 20

	.type	$__unnamed_71,@object           # @54
	.p2align	4, 0x0
$__unnamed_71:
	.4byte	$.src
	.4byte	134                             # 0x86
	.4byte	109                             # 0x6d
	.4byte	$__unnamed_160
	.byte	2                               # 0x2
	.byte	3                               # 0x3
	.space	2
	.size	$__unnamed_71, 20

	.type	$__unnamed_72,@object           # @55
	.p2align	4, 0x0
$__unnamed_72:
	.4byte	$.src
	.4byte	135                             # 0x87
	.4byte	15                              # 0xf
	.4byte	$__unnamed_154
	.byte	2                               # 0x2
	.byte	3                               # 0x3
	.space	2
	.size	$__unnamed_72, 20

	.type	$__unnamed_73,@object           # @56
	.p2align	4, 0x0
$__unnamed_73:
	.4byte	$.src
	.4byte	135                             # 0x87
	.4byte	15                              # 0xf
	.4byte	$__unnamed_160
	.byte	2                               # 0x2
	.byte	3                               # 0x3
	.space	2
	.size	$__unnamed_73, 20

	.type	$__unnamed_74,@object           # @57
	.p2align	4, 0x0
$__unnamed_74:
	.4byte	$.src
	.4byte	135                             # 0x87
	.4byte	39                              # 0x27
	.4byte	$__unnamed_154
	.byte	2                               # 0x2
	.byte	3                               # 0x3
	.space	2
	.size	$__unnamed_74, 20

	.type	$__unnamed_75,@object           # @58
	.p2align	4, 0x0
$__unnamed_75:
	.4byte	$.src
	.4byte	135                             # 0x87
	.4byte	39                              # 0x27
	.4byte	$__unnamed_160
	.byte	2                               # 0x2
	.byte	3                               # 0x3
	.space	2
	.size	$__unnamed_75, 20

	.type	$__unnamed_76,@object           # @59
	.p2align	4, 0x0
$__unnamed_76:
	.4byte	$.src
	.4byte	135                             # 0x87
	.4byte	63                              # 0x3f
	.4byte	$__unnamed_154
	.byte	2                               # 0x2
	.byte	3                               # 0x3
	.space	2
	.size	$__unnamed_76, 20

	.type	$__unnamed_77,@object           # @60
	.p2align	4, 0x0
$__unnamed_77:
	.4byte	$.src
	.4byte	135                             # 0x87
	.4byte	63                              # 0x3f
	.4byte	$__unnamed_160
	.byte	2                               # 0x2
	.byte	3                               # 0x3
	.space	2
	.size	$__unnamed_77, 20

	.type	$__unnamed_78,@object           # @61
	.p2align	4, 0x0
$__unnamed_78:
	.4byte	$.src
	.4byte	135                             # 0x87
	.4byte	85                              # 0x55
	.4byte	$__unnamed_154
	.byte	2                               # 0x2
	.byte	3                               # 0x3
	.space	2
	.size	$__unnamed_78, 20

	.type	$__unnamed_79,@object           # @62
	.p2align	4, 0x0
$__unnamed_79:
	.4byte	$.src
	.4byte	135                             # 0x87
	.4byte	109                             # 0x6d
	.4byte	$__unnamed_154
	.byte	2                               # 0x2
	.byte	3                               # 0x3
	.space	2
	.size	$__unnamed_79, 20

	.type	$__unnamed_80,@object           # @63
	.p2align	4, 0x0
$__unnamed_80:
	.4byte	$.src
	.4byte	136                             # 0x88
	.4byte	15                              # 0xf
	.4byte	$__unnamed_154
	.byte	2                               # 0x2
	.byte	3                               # 0x3
	.space	2
	.size	$__unnamed_80, 20

	.type	$__unnamed_161,@object          # @64
	.section	.rodata,"a",@progbits
	.p2align	4, 0x0
$__unnamed_161:
	.2byte	65535                           # 0xffff
	.2byte	0                               # 0x0
	.asciz	"'struct status_words'"
	.size	$__unnamed_161, 26

	.type	$__unnamed_81,@object           # @65
	.data
	.p2align	4, 0x0
$__unnamed_81:
	.4byte	$.src
	.4byte	136                             # 0x88
	.4byte	15                              # 0xf
	.4byte	$__unnamed_161
	.byte	2                               # 0x2
	.byte	3                               # 0x3
	.space	2
	.size	$__unnamed_81, 20

	.type	$__unnamed_82,@object           # @66
	.p2align	4, 0x0
$__unnamed_82:
	.4byte	$.src
	.4byte	136                             # 0x88
	.4byte	46                              # 0x2e
	.4byte	$__unnamed_154
	.byte	2                               # 0x2
	.byte	3                               # 0x3
	.space	2
	.size	$__unnamed_82, 20

	.type	$__unnamed_83,@object           # @67
	.p2align	4, 0x0
$__unnamed_83:
	.4byte	$.src
	.4byte	136                             # 0x88
	.4byte	46                              # 0x2e
	.4byte	$__unnamed_161
	.byte	2                               # 0x2
	.byte	3                               # 0x3
	.space	2
	.size	$__unnamed_83, 20

	.type	$__unnamed_84,@object           # @68
	.p2align	4, 0x0
$__unnamed_84:
	.4byte	$.src
	.4byte	136                             # 0x88
	.4byte	77                              # 0x4d
	.4byte	$__unnamed_154
	.byte	2                               # 0x2
	.byte	3                               # 0x3
	.space	2
	.size	$__unnamed_84, 20

	.type	$__unnamed_85,@object           # @69
	.p2align	4, 0x0
$__unnamed_85:
	.4byte	$.src
	.4byte	136                             # 0x88
	.4byte	97                              # 0x61
	.4byte	$__unnamed_154
	.byte	2                               # 0x2
	.byte	3                               # 0x3
	.space	2
	.size	$__unnamed_85, 20

	.type	$__unnamed_162,@object          # @70
	.section	.rodata,"a",@progbits
	.p2align	4, 0x0
$__unnamed_162:
	.2byte	65535                           # 0xffff
	.2byte	0                               # 0x0
	.asciz	"'volatile uint32_t *[31]' (aka 'volatile unsigned int *[31]')"
	.size	$__unnamed_162, 66

	.type	$__unnamed_86,@object           # @71
	.data
	.p2align	4, 0x0
$__unnamed_86:
	.4byte	$.src
	.4byte	139                             # 0x8b
	.4byte	10                              # 0xa
	.4byte	$__unnamed_162
	.4byte	$__unnamed_156
	.size	$__unnamed_86, 20

	.type	$__unnamed_87,@object           # @72
	.p2align	3, 0x0
$__unnamed_87:
	.4byte	$.src
	.4byte	139                             # 0x8b
	.4byte	10                              # 0xa
	.size	$__unnamed_87, 12

	.type	$__unnamed_163,@object          # @73
	.section	.rodata,"a",@progbits
	.p2align	4, 0x0
$__unnamed_163:
	.2byte	65535                           # 0xffff
	.2byte	0                               # 0x0
	.asciz	"'volatile uint32_t *' (aka 'volatile unsigned int *')"
	.size	$__unnamed_163, 58

	.type	$__unnamed_88,@object           # @74
	.data
	.p2align	4, 0x0
$__unnamed_88:
	.4byte	$.src
	.4byte	139                             # 0x8b
	.4byte	10                              # 0xa
	.4byte	$__unnamed_163
	.byte	2                               # 0x2
	.byte	0                               # 0x0
	.space	2
	.size	$__unnamed_88, 20

	.type	$__unnamed_164,@object          # @75
	.section	.rodata,"a",@progbits
	.p2align	4, 0x0
$__unnamed_164:
	.2byte	65535                           # 0xffff
	.2byte	0                               # 0x0
	.asciz	"'struct ring_registers'"
	.size	$__unnamed_164, 28

	.type	$__unnamed_89,@object           # @76
	.data
	.p2align	4, 0x0
$__unnamed_89:
	.4byte	$.src
	.4byte	144                             # 0x90
	.4byte	16                              # 0x10
	.4byte	$__unnamed_164
	.byte	2                               # 0x2
	.byte	3                               # 0x3
	.space	2
	.size	$__unnamed_89, 20

	.type	$__unnamed_90,@object           # @77
	.p2align	4, 0x0
$__unnamed_90:
	.4byte	$.src
	.4byte	145                             # 0x91
	.4byte	16                              # 0x10
	.4byte	$__unnamed_164
	.byte	2                               # 0x2
	.byte	3                               # 0x3
	.space	2
	.size	$__unnamed_90, 20

	.type	$__unnamed_91,@object           # @78
	.p2align	4, 0x0
$__unnamed_91:
	.4byte	$.src
	.4byte	146                             # 0x92
	.4byte	16                              # 0x10
	.4byte	$__unnamed_164
	.byte	2                               # 0x2
	.byte	3                               # 0x3
	.space	2
	.size	$__unnamed_91, 20

	.type	$__unnamed_92,@object           # @79
	.p2align	4, 0x0
$__unnamed_92:
	.4byte	$.src
	.4byte	147                             # 0x93
	.4byte	16                              # 0x10
	.4byte	$__unnamed_164
	.byte	2                               # 0x2
	.byte	3                               # 0x3
	.space	2
	.size	$__unnamed_92, 20

	.type	$__unnamed_22,@object           # @80
	.p2align	4, 0x0
$__unnamed_22:
	.4byte	$.src
	.4byte	72                              # 0x48
	.4byte	30                              # 0x1e
	.4byte	$__unnamed_154
	.byte	2                               # 0x2
	.byte	3                               # 0x3
	.space	2
	.size	$__unnamed_22, 20

	.type	$__unnamed_23,@object           # @81
	.p2align	4, 0x0
$__unnamed_23:
	.4byte	$.src
	.4byte	72                              # 0x48
	.4byte	30                              # 0x1e
	.4byte	$__unnamed_160
	.byte	2                               # 0x2
	.byte	3                               # 0x3
	.space	2
	.size	$__unnamed_23, 20

	.type	$__unnamed_24,@object           # @82
	.p2align	4, 0x0
$__unnamed_24:
	.4byte	$.src
	.4byte	72                              # 0x48
	.4byte	51                              # 0x33
	.4byte	$__unnamed_154
	.byte	2                               # 0x2
	.byte	3                               # 0x3
	.space	2
	.size	$__unnamed_24, 20

	.type	$__unnamed_25,@object           # @83
	.p2align	4, 0x0
$__unnamed_25:
	.4byte	$.src
	.4byte	72                              # 0x48
	.4byte	51                              # 0x33
	.4byte	$__unnamed_159
	.byte	2                               # 0x2
	.byte	3                               # 0x3
	.space	2
	.size	$__unnamed_25, 20

	.type	$__unnamed_26,@object           # @84
	.p2align	3, 0x0
$__unnamed_26:
	.4byte	$.src
	.4byte	76                              # 0x4c
	.4byte	9                               # 0x9
	.4byte	$__unnamed_153
	.size	$__unnamed_26, 16

	.type	$__unnamed_27,@object           # @85
	.p2align	3, 0x0
$__unnamed_27:
	.4byte	$.src
	.4byte	77                              # 0x4d
	.4byte	17                              # 0x11
	.4byte	$__unnamed_153
	.size	$__unnamed_27, 16

	.type	$__unnamed_28,@object           # @86
	.p2align	3, 0x0
$__unnamed_28:
	.4byte	$.src
	.4byte	79                              # 0x4f
	.4byte	17                              # 0x11
	.4byte	$__unnamed_153
	.size	$__unnamed_28, 16

	.type	$__unnamed_29,@object           # @87
	.p2align	3, 0x0
$__unnamed_29:
	.4byte	$.src
	.4byte	81                              # 0x51
	.4byte	17                              # 0x11
	.4byte	$__unnamed_153
	.size	$__unnamed_29, 16

	.type	$__unnamed_30,@object           # @88
	.p2align	3, 0x0
$__unnamed_30:
	.4byte	$.src
	.4byte	83                              # 0x53
	.4byte	17                              # 0x11
	.4byte	$__unnamed_153
	.size	$__unnamed_30, 16

	.type	$__unnamed_31,@object           # @89
	.p2align	3, 0x0
$__unnamed_31:
	.4byte	$.src
	.4byte	85                              # 0x55
	.4byte	17                              # 0x11
	.4byte	$__unnamed_153
	.size	$__unnamed_31, 16

	.type	$__unnamed_32,@object           # @90
	.p2align	3, 0x0
$__unnamed_32:
	.4byte	$.src
	.4byte	87                              # 0x57
	.4byte	17                              # 0x11
	.4byte	$__unnamed_153
	.size	$__unnamed_32, 16

	.type	$__unnamed_33,@object           # @91
	.p2align	3, 0x0
$__unnamed_33:
	.4byte	$.src
	.4byte	88                              # 0x58
	.4byte	12                              # 0xc
	.4byte	$__unnamed_153
	.size	$__unnamed_33, 16

	.type	$__unnamed_93,@object           # @92
	.p2align	4, 0x0
$__unnamed_93:
	.4byte	$.src
	.4byte	26                              # 0x1a
	.4byte	55                              # 0x37
	.4byte	$__unnamed_154
	.byte	2                               # 0x2
	.byte	3                               # 0x3
	.space	2
	.size	$__unnamed_93, 20

	.type	$__unnamed_94,@object           # @93
	.p2align	4, 0x0
$__unnamed_94:
	.4byte	$.src
	.4byte	26                              # 0x1a
	.4byte	55                              # 0x37
	.4byte	$__unnamed_159
	.byte	2                               # 0x2
	.byte	3                               # 0x3
	.space	2
	.size	$__unnamed_94, 20

	.type	$__unnamed_95,@object           # @94
	.p2align	4, 0x0
$__unnamed_95:
	.4byte	$.src
	.4byte	26                              # 0x1a
	.4byte	88                              # 0x58
	.4byte	$__unnamed_154
	.byte	2                               # 0x2
	.byte	3                               # 0x3
	.space	2
	.size	$__unnamed_95, 20

	.type	$__unnamed_96,@object           # @95
	.p2align	4, 0x0
$__unnamed_96:
	.4byte	$.src
	.4byte	26                              # 0x1a
	.4byte	88                              # 0x58
	.4byte	$__unnamed_160
	.byte	2                               # 0x2
	.byte	3                               # 0x3
	.space	2
	.size	$__unnamed_96, 20

	.type	$.src.1,@object                 # @.src.1
	.section	.rodata.str1.1,"aMS",@progbits,1
$.src.1:
	.asciz	"firmware/include/tengig/locks.h"
	.size	$.src.1, 32

	.type	$__unnamed_97,@object           # @96
	.data
	.p2align	4, 0x0
$__unnamed_97:
	.4byte	$.src.1
	.4byte	35                              # 0x23
	.4byte	5                               # 0x5
	.4byte	$__unnamed_156
	.byte	2                               # 0x2
	.byte	1                               # 0x1
	.space	2
	.size	$__unnamed_97, 20

	.type	$__unnamed_98,@object           # @97
	.p2align	4, 0x0
$__unnamed_98:
	.4byte	$.src
	.4byte	29                              # 0x1d
	.4byte	77                              # 0x4d
	.4byte	$__unnamed_154
	.byte	2                               # 0x2
	.byte	3                               # 0x3
	.space	2
	.size	$__unnamed_98, 20

	.type	$__unnamed_99,@object           # @98
	.p2align	4, 0x0
$__unnamed_99:
	.4byte	$.src
	.4byte	29                              # 0x1d
	.4byte	98                              # 0x62
	.4byte	$__unnamed_154
	.byte	2                               # 0x2
	.byte	3                               # 0x3
	.space	2
	.size	$__unnamed_99, 20

	.type	$.src.2,@object                 # @.src.2
	.section	.rodata.str1.1,"aMS",@progbits,1
$.src.2:
	.asciz	"firmware/include/tengig/flags.h"
	.size	$.src.2, 32

	.type	$__unnamed_165,@object          # @99
	.section	.rodata,"a",@progbits
	.p2align	4, 0x0
$__unnamed_165:
	.2byte	65535                           # 0xffff
	.2byte	0                               # 0x0
	.asciz	"'const done_flags_t'"
	.space	1
	.size	$__unnamed_165, 26

	.type	$__unnamed_129,@object          # @100
	.data
	.p2align	4, 0x0
$__unnamed_129:
	.4byte	$.src.2
	.4byte	48                              # 0x30
	.4byte	19                              # 0x13
	.4byte	$__unnamed_165
	.byte	0                               # 0x0
	.byte	3                               # 0x3
	.space	2
	.size	$__unnamed_129, 20

	.type	$__unnamed_130,@object          # @101
	.p2align	3, 0x0
$__unnamed_130:
	.4byte	$.src.2
	.4byte	48                              # 0x30
	.4byte	12                              # 0xc
	.size	$__unnamed_130, 12

	.type	$__unnamed_100,@object          # @102
	.p2align	4, 0x0
$__unnamed_100:
	.4byte	$.src
	.4byte	58                              # 0x3a
	.4byte	17                              # 0x11
	.4byte	$__unnamed_154
	.byte	2                               # 0x2
	.byte	3                               # 0x3
	.space	2
	.size	$__unnamed_100, 20

	.type	$__unnamed_101,@object          # @103
	.p2align	4, 0x0
$__unnamed_101:
	.4byte	$.src
	.4byte	58                              # 0x3a
	.4byte	41                              # 0x29
	.4byte	$__unnamed_154
	.byte	2                               # 0x2
	.byte	3                               # 0x3
	.space	2
	.size	$__unnamed_101, 20

	.type	$__unnamed_102,@object          # @104
	.p2align	4, 0x0
$__unnamed_102:
	.4byte	$.src
	.4byte	59                              # 0x3b
	.4byte	17                              # 0x11
	.4byte	$__unnamed_154
	.byte	2                               # 0x2
	.byte	3                               # 0x3
	.space	2
	.size	$__unnamed_102, 20

	.type	$__unnamed_103,@object          # @105
	.p2align	4, 0x0
$__unnamed_103:
	.4byte	$.src
	.4byte	59                              # 0x3b
	.4byte	39                              # 0x27
	.4byte	$__unnamed_154
	.byte	2                               # 0x2
	.byte	3                               # 0x3
	.space	2
	.size	$__unnamed_103, 20

	.type	$__unnamed_104,@object          # @106
	.p2align	3, 0x0
$__unnamed_104:
	.4byte	$.src
	.4byte	59                              # 0x3b
	.4byte	59                              # 0x3b
	.4byte	$__unnamed_156
	.size	$__unnamed_104, 16

	.type	$__unnamed_166,@object          # @107
	.section	.rodata,"a",@progbits
	.p2align	4, 0x0
$__unnamed_166:
	.2byte	65535                           # 0xffff
	.2byte	0                               # 0x0
	.asciz	"'volatile uint8_t[16]' (aka 'volatile unsigned char[16]')"
	.size	$__unnamed_166, 62

	.type	$__unnamed_105,@object          # @108
	.data
	.p2align	4, 0x0
$__unnamed_105:
	.4byte	$.src
	.4byte	59                              # 0x3b
	.4byte	12                              # 0xc
	.4byte	$__unnamed_166
	.4byte	$__unnamed_156
	.size	$__unnamed_105, 20

	.type	$__unnamed_106,@object          # @109
	.p2align	3, 0x0
$__unnamed_106:
	.4byte	$.src
	.4byte	59                              # 0x3b
	.4byte	12                              # 0xc
	.size	$__unnamed_106, 12

	.type	$__unnamed_107,@object          # @110
	.p2align	4, 0x0
$__unnamed_107:
	.4byte	$.src
	.4byte	36                              # 0x24
	.4byte	80                              # 0x50
	.4byte	$__unnamed_154
	.byte	2                               # 0x2
	.byte	3                               # 0x3
	.space	2
	.size	$__unnamed_107, 20

	.type	$.src.3,@object                 # @.src.3
	.section	.rodata.str1.1,"aMS",@progbits,1
$.src.3:
	.asciz	"firmware/include/tengig/dma.h"
	.size	$.src.3, 30

	.type	$__unnamed_167,@object          # @111
	.section	.rodata,"a",@progbits
	.p2align	4, 0x0
$__unnamed_167:
	.2byte	65535                           # 0xffff
	.2byte	0                               # 0x0
	.asciz	"'const struct dma_queue'"
	.space	1
	.size	$__unnamed_167, 30

	.type	$__unnamed_131,@object          # @112
	.data
	.p2align	4, 0x0
$__unnamed_131:
	.4byte	$.src.3
	.4byte	67                              # 0x43
	.4byte	96                              # 0x60
	.4byte	$__unnamed_167
	.byte	2                               # 0x2
	.byte	3                               # 0x3
	.space	2
	.size	$__unnamed_131, 20

	.type	$__unnamed_132,@object          # @113
	.p2align	4, 0x0
$__unnamed_132:
	.4byte	$.src.3
	.4byte	67                              # 0x43
	.4byte	110                             # 0x6e
	.4byte	$__unnamed_167
	.byte	2                               # 0x2
	.byte	3                               # 0x3
	.space	2
	.size	$__unnamed_132, 20

	.type	$__unnamed_108,@object          # @114
	.p2align	4, 0x0
$__unnamed_108:
	.4byte	$.src
	.4byte	30                              # 0x1e
	.4byte	65                              # 0x41
	.4byte	$__unnamed_154
	.byte	2                               # 0x2
	.byte	3                               # 0x3
	.space	2
	.size	$__unnamed_108, 20

	.type	$__unnamed_109,@object          # @115
	.p2align	4, 0x0
$__unnamed_109:
	.4byte	$.src
	.4byte	30                              # 0x1e
	.4byte	65                              # 0x41
	.4byte	$__unnamed_159
	.byte	2                               # 0x2
	.byte	3                               # 0x3
	.space	2
	.size	$__unnamed_109, 20

	.type	$__unnamed_110,@object          # @116
	.p2align	4, 0x0
$__unnamed_110:
	.4byte	$.src
	.4byte	30                              # 0x1e
	.4byte	102                             # 0x66
	.4byte	$__unnamed_154
	.byte	2                               # 0x2
	.byte	3                               # 0x3
	.space	2
	.size	$__unnamed_110, 20

	.type	$__unnamed_111,@object          # @117
	.p2align	4, 0x0
$__unnamed_111:
	.4byte	$.src
	.4byte	41                              # 0x29
	.4byte	27                              # 0x1b
	.4byte	$__unnamed_154
	.byte	2                               # 0x2
	.byte	3                               # 0x3
	.space	2
	.size	$__unnamed_111, 20

	.type	$__unnamed_112,@object          # @118
	.p2align	4, 0x0
$__unnamed_112:
	.4byte	$.src
	.4byte	42                              # 0x2a
	.4byte	30                              # 0x1e
	.4byte	$__unnamed_154
	.byte	2                               # 0x2
	.byte	3                               # 0x3
	.space	2
	.size	$__unnamed_112, 20

	.type	$__unnamed_113,@object          # @119
	.p2align	4, 0x0
$__unnamed_113:
	.4byte	$.src
	.4byte	42                              # 0x2a
	.4byte	30                              # 0x1e
	.4byte	$__unnamed_159
	.byte	2                               # 0x2
	.byte	3                               # 0x3
	.space	2
	.size	$__unnamed_113, 20

	.type	$__unnamed_114,@object          # @120
	.p2align	4, 0x0
$__unnamed_114:
	.4byte	$.src
	.4byte	43                              # 0x2b
	.4byte	46                              # 0x2e
	.4byte	$__unnamed_154
	.byte	2                               # 0x2
	.byte	3                               # 0x3
	.space	2
	.size	$__unnamed_114, 20

	.type	$__unnamed_115,@object          # @121
	.p2align	4, 0x0
$__unnamed_115:
	.4byte	$.src
	.4byte	45                              # 0x2d
	.4byte	17                              # 0x11
	.4byte	$__unnamed_154
	.byte	2                               # 0x2
	.byte	3                               # 0x3
	.space	2
	.size	$__unnamed_115, 20

	.type	$__unnamed_116,@object          # @122
	.p2align	4, 0x0
$__unnamed_116:
	.4byte	$.src
	.4byte	45                              # 0x2d
	.4byte	38                              # 0x26
	.4byte	$__unnamed_154
	.byte	2                               # 0x2
	.byte	3                               # 0x3
	.space	2
	.size	$__unnamed_116, 20

	.type	$.src.4,@object                 # @.src.4
	.section	.rodata.str1.1,"aMS",@progbits,1
$.src.4:
	.asciz	"firmware/include/tengig/status.h"
	.size	$.src.4, 33

	.type	$__unnamed_117,@object          # @123
	.data
	.p2align	4, 0x0
$__unnamed_117:
	.4byte	$.src.4
	.4byte	13                              # 0xd
	.4byte	26                              # 0x1a
	.4byte	$__unnamed_154
	.byte	2                               # 0x2
	.byte	3                               # 0x3
	.space	2
	.size	$__unnamed_117, 20

	.type	$__unnamed_118,@object          # @124
	.p2align	4, 0x0
$__unnamed_118:
	.4byte	$.src.4
	.4byte	13                              # 0xd
	.4byte	50                              # 0x32
	.4byte	$__unnamed_154
	.byte	2                               # 0x2
	.byte	3                               # 0x3
	.space	2
	.size	$__unnamed_118, 20

	.type	$__unnamed_119,@object          # @125
	.p2align	4, 0x0
$__unnamed_119:
	.4byte	$.src.4
	.4byte	14                              # 0xe
	.4byte	30                              # 0x1e
	.4byte	$__unnamed_154
	.byte	2                               # 0x2
	.byte	3                               # 0x3
	.space	2
	.size	$__unnamed_119, 20

	.type	$__unnamed_120,@object          # @126
	.p2align	4, 0x0
$__unnamed_120:
	.4byte	$.src.4
	.4byte	14                              # 0xe
	.4byte	54                              # 0x36
	.4byte	$__unnamed_154
	.byte	2                               # 0x2
	.byte	3                               # 0x3
	.space	2
	.size	$__unnamed_120, 20

	.type	$__unnamed_121,@object          # @127
	.p2align	4, 0x0
$__unnamed_121:
	.4byte	$.src.4
	.4byte	15                              # 0xf
	.4byte	14                              # 0xe
	.4byte	$__unnamed_154
	.byte	2                               # 0x2
	.byte	3                               # 0x3
	.space	2
	.size	$__unnamed_121, 20

	.type	$__unnamed_122,@object          # @128
	.p2align	4, 0x0
$__unnamed_122:
	.4byte	$.src.4
	.4byte	17                              # 0x11
	.4byte	25                              # 0x19
	.4byte	$__unnamed_154
	.byte	2                               # 0x2
	.byte	3                               # 0x3
	.space	2
	.size	$__unnamed_122, 20

	.type	$__unnamed_123,@object          # @129
	.p2align	4, 0x0
$__unnamed_123:
	.4byte	$.src.4
	.4byte	17                              # 0x11
	.4byte	25                              # 0x19
	.4byte	$__unnamed_157
	.byte	2                               # 0x2
	.byte	3                               # 0x3
	.space	2
	.size	$__unnamed_123, 20

	.type	$__unnamed_124,@object          # @130
	.p2align	4, 0x0
$__unnamed_124:
	.4byte	$.src.4
	.4byte	17                              # 0x11
	.4byte	34                              # 0x22
	.4byte	$__unnamed_156
	.byte	2                               # 0x2
	.byte	0                               # 0x0
	.space	2
	.size	$__unnamed_124, 20

	.type	$__unnamed_125,@object          # @131
	.p2align	4, 0x0
$__unnamed_125:
	.4byte	$.src.4
	.4byte	17                              # 0x11
	.4byte	70                              # 0x46
	.4byte	$__unnamed_154
	.byte	2                               # 0x2
	.byte	3                               # 0x3
	.space	2
	.size	$__unnamed_125, 20

	.type	$__unnamed_126,@object          # @132
	.p2align	4, 0x0
$__unnamed_126:
	.4byte	$.src.4
	.4byte	17                              # 0x11
	.4byte	70                              # 0x46
	.4byte	$__unnamed_157
	.byte	2                               # 0x2
	.byte	3                               # 0x3
	.space	2
	.size	$__unnamed_126, 20

	.type	$__unnamed_127,@object          # @133
	.p2align	4, 0x0
$__unnamed_127:
	.4byte	$.src.4
	.4byte	17                              # 0x11
	.4byte	79                              # 0x4f
	.4byte	$__unnamed_156
	.byte	2                               # 0x2
	.byte	0                               # 0x0
	.space	2
	.size	$__unnamed_127, 20

	.type	$__unnamed_128,@object          # @134
	.p2align	4, 0x0
$__unnamed_128:
	.4byte	$.src.4
	.4byte	18                              # 0x12
	.4byte	43                              # 0x2b
	.4byte	$__unnamed_154
	.byte	2                               # 0x2
	.byte	3                               # 0x3
	.space	2
	.size	$__unnamed_128, 20

	.type	$__unnamed_34,@object           # @135
	.p2align	4, 0x0
$__unnamed_34:
	.4byte	$.src
	.4byte	96                              # 0x60
	.4byte	30                              # 0x1e
	.4byte	$__unnamed_154
	.byte	2                               # 0x2
	.byte	3                               # 0x3
	.space	2
	.size	$__unnamed_34, 20

	.type	$__unnamed_35,@object           # @136
	.p2align	4, 0x0
$__unnamed_35:
	.4byte	$.src
	.4byte	96                              # 0x60
	.4byte	53                              # 0x35
	.4byte	$__unnamed_154
	.byte	2                               # 0x2
	.byte	3                               # 0x3
	.space	2
	.size	$__unnamed_35, 20

	.type	$__unnamed_36,@object           # @137
	.p2align	4, 0x0
$__unnamed_36:
	.4byte	$.src
	.4byte	96                              # 0x60
	.4byte	53                              # 0x35
	.4byte	$__unnamed_159
	.byte	2                               # 0x2
	.byte	3                               # 0x3
	.space	2
	.size	$__unnamed_36, 20

	.type	$__unnamed_37,@object           # @138
	.p2align	3, 0x0
$__unnamed_37:
	.4byte	$.src
	.4byte	101                             # 0x65
	.4byte	17                              # 0x11
	.4byte	$__unnamed_153
	.size	$__unnamed_37, 16

	.type	$__unnamed_38,@object           # @139
	.p2align	4, 0x0
$__unnamed_38:
	.4byte	$.src
	.4byte	103                             # 0x67
	.4byte	30                              # 0x1e
	.4byte	$__unnamed_154
	.byte	2                               # 0x2
	.byte	3                               # 0x3
	.space	2
	.size	$__unnamed_38, 20

	.type	$__unnamed_39,@object           # @140
	.p2align	4, 0x0
$__unnamed_39:
	.4byte	$.src
	.4byte	103                             # 0x67
	.4byte	30                              # 0x1e
	.4byte	$__unnamed_160
	.byte	2                               # 0x2
	.byte	3                               # 0x3
	.space	2
	.size	$__unnamed_39, 20

	.type	$__unnamed_40,@object           # @141
	.p2align	4, 0x0
$__unnamed_40:
	.4byte	$.src
	.4byte	103                             # 0x67
	.4byte	52                              # 0x34
	.4byte	$__unnamed_154
	.byte	2                               # 0x2
	.byte	3                               # 0x3
	.space	2
	.size	$__unnamed_40, 20

	.type	$__unnamed_41,@object           # @142
	.p2align	4, 0x0
$__unnamed_41:
	.4byte	$.src
	.4byte	103                             # 0x67
	.4byte	52                              # 0x34
	.4byte	$__unnamed_159
	.byte	2                               # 0x2
	.byte	3                               # 0x3
	.space	2
	.size	$__unnamed_41, 20

	.type	$__unnamed_42,@object           # @143
	.p2align	3, 0x0
$__unnamed_42:
	.4byte	$.src
	.4byte	108                             # 0x6c
	.4byte	17                              # 0x11
	.4byte	$__unnamed_153
	.size	$__unnamed_42, 16

	.type	$__unnamed_43,@object           # @144
	.p2align	3, 0x0
$__unnamed_43:
	.4byte	$.src
	.4byte	110                             # 0x6e
	.4byte	17                              # 0x11
	.4byte	$__unnamed_153
	.size	$__unnamed_43, 16

	.type	$__unnamed_44,@object           # @145
	.p2align	3, 0x0
$__unnamed_44:
	.4byte	$.src
	.4byte	112                             # 0x70
	.4byte	17                              # 0x11
	.4byte	$__unnamed_153
	.size	$__unnamed_44, 16

	.type	$__unnamed_45,@object           # @146
	.p2align	3, 0x0
$__unnamed_45:
	.4byte	$.src
	.4byte	113                             # 0x71
	.4byte	12                              # 0xc
	.4byte	$__unnamed_153
	.size	$__unnamed_45, 16

	.type	$__unnamed_133,@object          # @147
	.p2align	4, 0x0
$__unnamed_133:
	.4byte	$.src
	.4byte	28                              # 0x1c
	.4byte	60                              # 0x3c
	.4byte	$__unnamed_154
	.byte	2                               # 0x2
	.byte	3                               # 0x3
	.space	2
	.size	$__unnamed_133, 20

	.type	$__unnamed_134,@object          # @148
	.p2align	4, 0x0
$__unnamed_134:
	.4byte	$.src
	.4byte	28                              # 0x1c
	.4byte	60                              # 0x3c
	.4byte	$__unnamed_159
	.byte	2                               # 0x2
	.byte	3                               # 0x3
	.space	2
	.size	$__unnamed_134, 20

	.type	$__unnamed_135,@object          # @149
	.p2align	4, 0x0
$__unnamed_135:
	.4byte	$.src
	.4byte	28                              # 0x1c
	.4byte	94                              # 0x5e
	.4byte	$__unnamed_154
	.byte	2                               # 0x2
	.byte	3                               # 0x3
	.space	2
	.size	$__unnamed_135, 20

	.type	$__unnamed_136,@object          # @150
	.p2align	4, 0x0
$__unnamed_136:
	.4byte	$.src
	.4byte	31                              # 0x1f
	.4byte	81                              # 0x51
	.4byte	$__unnamed_154
	.byte	2                               # 0x2
	.byte	3                               # 0x3
	.space	2
	.size	$__unnamed_136, 20

	.type	$__unnamed_137,@object          # @151
	.p2align	4, 0x0
$__unnamed_137:
	.4byte	$.src
	.4byte	27                              # 0x1b
	.4byte	56                              # 0x38
	.4byte	$__unnamed_154
	.byte	2                               # 0x2
	.byte	3                               # 0x3
	.space	2
	.size	$__unnamed_137, 20

	.type	$__unnamed_138,@object          # @152
	.p2align	4, 0x0
$__unnamed_138:
	.4byte	$.src
	.4byte	27                              # 0x1b
	.4byte	56                              # 0x38
	.4byte	$__unnamed_159
	.byte	2                               # 0x2
	.byte	3                               # 0x3
	.space	2
	.size	$__unnamed_138, 20

	.type	$__unnamed_139,@object          # @153
	.p2align	4, 0x0
$__unnamed_139:
	.4byte	$.src
	.4byte	27                              # 0x1b
	.4byte	90                              # 0x5a
	.4byte	$__unnamed_154
	.byte	2                               # 0x2
	.byte	3                               # 0x3
	.space	2
	.size	$__unnamed_139, 20

	.type	$__unnamed_140,@object          # @154
	.p2align	4, 0x0
$__unnamed_140:
	.4byte	$.src
	.4byte	27                              # 0x1b
	.4byte	90                              # 0x5a
	.4byte	$__unnamed_160
	.byte	2                               # 0x2
	.byte	3                               # 0x3
	.space	2
	.size	$__unnamed_140, 20

	.type	$__unnamed_141,@object          # @155
	.p2align	4, 0x0
$__unnamed_141:
	.4byte	$.src
	.4byte	64                              # 0x40
	.4byte	30                              # 0x1e
	.4byte	$__unnamed_154
	.byte	2                               # 0x2
	.byte	3                               # 0x3
	.space	2
	.size	$__unnamed_141, 20

	.type	$__unnamed_142,@object          # @156
	.p2align	4, 0x0
$__unnamed_142:
	.4byte	$.src
	.4byte	64                              # 0x40
	.4byte	50                              # 0x32
	.4byte	$__unnamed_154
	.byte	2                               # 0x2
	.byte	3                               # 0x3
	.space	2
	.size	$__unnamed_142, 20

	.type	$__unnamed_143,@object          # @157
	.p2align	4, 0x0
$__unnamed_143:
	.4byte	$.src
	.4byte	64                              # 0x40
	.4byte	93                              # 0x5d
	.4byte	$__unnamed_154
	.byte	2                               # 0x2
	.byte	3                               # 0x3
	.space	2
	.size	$__unnamed_143, 20

	.type	$.src.5,@object                 # @.src.5
	.section	.rodata.str1.1,"aMS",@progbits,1
$.src.5:
	.asciz	"firmware/include/tengig/receive.h"
	.size	$.src.5, 34

	.type	$__unnamed_150,@object          # @158
	.data
	.p2align	4, 0x0
$__unnamed_150:
	.4byte	$.src.5
	.4byte	18                              # 0x12
	.4byte	41                              # 0x29
	.4byte	$__unnamed_154
	.byte	2                               # 0x2
	.byte	3                               # 0x3
	.space	2
	.size	$__unnamed_150, 20

	.type	$__unnamed_151,@object          # @159
	.p2align	4, 0x0
$__unnamed_151:
	.4byte	$.src.5
	.4byte	21                              # 0x15
	.4byte	62                              # 0x3e
	.4byte	$__unnamed_154
	.byte	2                               # 0x2
	.byte	3                               # 0x3
	.space	2
	.size	$__unnamed_151, 20

	.type	$__unnamed_152,@object          # @160
	.p2align	4, 0x0
$__unnamed_152:
	.4byte	$.src.5
	.4byte	21                              # 0x15
	.4byte	99                              # 0x63
	.4byte	$__unnamed_154
	.byte	2                               # 0x2
	.byte	3                               # 0x3
	.space	2
	.size	$__unnamed_152, 20

	.type	$__unnamed_144,@object          # @161
	.p2align	4, 0x0
$__unnamed_144:
	.4byte	$.src
	.4byte	50                              # 0x32
	.4byte	27                              # 0x1b
	.4byte	$__unnamed_154
	.byte	2                               # 0x2
	.byte	3                               # 0x3
	.space	2
	.size	$__unnamed_144, 20

	.type	$__unnamed_145,@object          # @162
	.p2align	4, 0x0
$__unnamed_145:
	.4byte	$.src
	.4byte	51                              # 0x33
	.4byte	30                              # 0x1e
	.4byte	$__unnamed_154
	.byte	2                               # 0x2
	.byte	3                               # 0x3
	.space	2
	.size	$__unnamed_145, 20

	.type	$__unnamed_146,@object          # @163
	.p2align	4, 0x0
$__unnamed_146:
	.4byte	$.src
	.4byte	51                              # 0x33
	.4byte	30                              # 0x1e
	.4byte	$__unnamed_159
	.byte	2                               # 0x2
	.byte	3                               # 0x3
	.space	2
	.size	$__unnamed_146, 20

	.type	$__unnamed_147,@object          # @164
	.p2align	4, 0x0
$__unnamed_147:
	.4byte	$.src
	.4byte	52                              # 0x34
	.4byte	49                              # 0x31
	.4byte	$__unnamed_154
	.byte	2                               # 0x2
	.byte	3                               # 0x3
	.space	2
	.size	$__unnamed_147, 20

	.type	$.src.6,@object                 # @.src.6
	.section	.rodata.str1.1,"aMS",@progbits,1
$.src.6:
	.asciz	"firmware/include/tengig/events.h"
	.size	$.src.6, 33

	.type	$__unnamed_148,@object          # @165
	.data
	.p2align	4, 0x0
$__unnamed_148:
	.4byte	$.src.6
	.4byte	15                              # 0xf
	.4byte	57                              # 0x39
	.4byte	$__unnamed_154
	.byte	2                               # 0x2
	.byte	3                               # 0x3
	.space	2
	.size	$__unnamed_148, 20

	.type	$__unnamed_149,@object          # @166
	.p2align	4, 0x0
$__unnamed_149:
	.4byte	$.src.6
	.4byte	15                              # 0xf
	.4byte	78                              # 0x4e
	.4byte	$__unnamed_154
	.byte	2                               # 0x2
	.byte	3                               # 0x3
	.space	2
	.size	$__unnamed_149, 20

	.section	.debug_abbrev,"",@0x7000001e
	.byte	1                               # Abbreviation Code
	.byte	17                              # DW_TAG_compile_unit
	.byte	1                               # DW_CHILDREN_yes
	.byte	37                              # DW_AT_producer
	.byte	14                              # DW_FORM_strp
	.byte	19                              # DW_AT_language
	.byte	5                               # DW_FORM_data2
	.byte	3                               # DW_AT_name
	.byte	14                              # DW_FORM_strp
	.byte	16                              # DW_AT_stmt_list
	.byte	23                              # DW_FORM_sec_offset
	.byte	27                              # DW_AT_comp_dir
	.byte	14                              # DW_FORM_strp
	.byte	17                              # DW_AT_low_pc
	.byte	1                               # DW_FORM_addr
	.byte	85                              # DW_AT_ranges
	.byte	23                              # DW_FORM_sec_offset
	.byte	0                               # EOM(1)
	.byte	0                               # EOM(2)
	.byte	2                               # Abbreviation Code
	.byte	52                              # DW_TAG_variable
	.byte	0                               # DW_CHILDREN_no
	.byte	3                               # DW_AT_name
	.byte	14                              # DW_FORM_strp
	.byte	73                              # DW_AT_type
	.byte	19                              # DW_FORM_ref4
	.byte	58                              # DW_AT_decl_file
	.byte	11                              # DW_FORM_data1
	.byte	59                              # DW_AT_decl_line
	.byte	11                              # DW_FORM_data1
	.byte	2                               # DW_AT_location
	.byte	24                              # DW_FORM_exprloc
	.byte	0                               # EOM(1)
	.byte	0                               # EOM(2)
	.byte	3                               # Abbreviation Code
	.byte	53                              # DW_TAG_volatile_type
	.byte	0                               # DW_CHILDREN_no
	.byte	73                              # DW_AT_type
	.byte	19                              # DW_FORM_ref4
	.byte	0                               # EOM(1)
	.byte	0                               # EOM(2)
	.byte	4                               # Abbreviation Code
	.byte	22                              # DW_TAG_typedef
	.byte	0                               # DW_CHILDREN_no
	.byte	73                              # DW_AT_type
	.byte	19                              # DW_FORM_ref4
	.byte	3                               # DW_AT_name
	.byte	14                              # DW_FORM_strp
	.byte	58                              # DW_AT_decl_file
	.byte	11                              # DW_FORM_data1
	.byte	59                              # DW_AT_decl_line
	.byte	11                              # DW_FORM_data1
	.byte	0                               # EOM(1)
	.byte	0                               # EOM(2)
	.byte	5                               # Abbreviation Code
	.byte	36                              # DW_TAG_base_type
	.byte	0                               # DW_CHILDREN_no
	.byte	3                               # DW_AT_name
	.byte	14                              # DW_FORM_strp
	.byte	62                              # DW_AT_encoding
	.byte	11                              # DW_FORM_data1
	.byte	11                              # DW_AT_byte_size
	.byte	11                              # DW_FORM_data1
	.byte	0                               # EOM(1)
	.byte	0                               # EOM(2)
	.byte	6                               # Abbreviation Code
	.byte	15                              # DW_TAG_pointer_type
	.byte	0                               # DW_CHILDREN_no
	.byte	73                              # DW_AT_type
	.byte	19                              # DW_FORM_ref4
	.byte	0                               # EOM(1)
	.byte	0                               # EOM(2)
	.byte	7                               # Abbreviation Code
	.byte	19                              # DW_TAG_structure_type
	.byte	1                               # DW_CHILDREN_yes
	.byte	3                               # DW_AT_name
	.byte	14                              # DW_FORM_strp
	.byte	11                              # DW_AT_byte_size
	.byte	11                              # DW_FORM_data1
	.byte	58                              # DW_AT_decl_file
	.byte	11                              # DW_FORM_data1
	.byte	59                              # DW_AT_decl_line
	.byte	11                              # DW_FORM_data1
	.byte	0                               # EOM(1)
	.byte	0                               # EOM(2)
	.byte	8                               # Abbreviation Code
	.byte	13                              # DW_TAG_member
	.byte	0                               # DW_CHILDREN_no
	.byte	3                               # DW_AT_name
	.byte	14                              # DW_FORM_strp
	.byte	73                              # DW_AT_type
	.byte	19                              # DW_FORM_ref4
	.byte	58                              # DW_AT_decl_file
	.byte	11                              # DW_FORM_data1
	.byte	59                              # DW_AT_decl_line
	.byte	11                              # DW_FORM_data1
	.byte	56                              # DW_AT_data_member_location
	.byte	11                              # DW_FORM_data1
	.byte	0                               # EOM(1)
	.byte	0                               # EOM(2)
	.byte	9                               # Abbreviation Code
	.byte	22                              # DW_TAG_typedef
	.byte	0                               # DW_CHILDREN_no
	.byte	73                              # DW_AT_type
	.byte	19                              # DW_FORM_ref4
	.byte	3                               # DW_AT_name
	.byte	14                              # DW_FORM_strp
	.byte	58                              # DW_AT_decl_file
	.byte	11                              # DW_FORM_data1
	.byte	59                              # DW_AT_decl_line
	.byte	5                               # DW_FORM_data2
	.byte	0                               # EOM(1)
	.byte	0                               # EOM(2)
	.byte	10                              # Abbreviation Code
	.byte	46                              # DW_TAG_subprogram
	.byte	1                               # DW_CHILDREN_yes
	.byte	17                              # DW_AT_low_pc
	.byte	1                               # DW_FORM_addr
	.byte	18                              # DW_AT_high_pc
	.byte	6                               # DW_FORM_data4
	.byte	64                              # DW_AT_frame_base
	.byte	24                              # DW_FORM_exprloc
	.byte	3                               # DW_AT_name
	.byte	14                              # DW_FORM_strp
	.byte	58                              # DW_AT_decl_file
	.byte	11                              # DW_FORM_data1
	.byte	59                              # DW_AT_decl_line
	.byte	11                              # DW_FORM_data1
	.byte	39                              # DW_AT_prototyped
	.byte	25                              # DW_FORM_flag_present
	.byte	73                              # DW_AT_type
	.byte	19                              # DW_FORM_ref4
	.byte	63                              # DW_AT_external
	.byte	25                              # DW_FORM_flag_present
	.byte	0                               # EOM(1)
	.byte	0                               # EOM(2)
	.byte	11                              # Abbreviation Code
	.byte	5                               # DW_TAG_formal_parameter
	.byte	0                               # DW_CHILDREN_no
	.byte	2                               # DW_AT_location
	.byte	24                              # DW_FORM_exprloc
	.byte	3                               # DW_AT_name
	.byte	14                              # DW_FORM_strp
	.byte	58                              # DW_AT_decl_file
	.byte	11                              # DW_FORM_data1
	.byte	59                              # DW_AT_decl_line
	.byte	11                              # DW_FORM_data1
	.byte	73                              # DW_AT_type
	.byte	19                              # DW_FORM_ref4
	.byte	0                               # EOM(1)
	.byte	0                               # EOM(2)
	.byte	12                              # Abbreviation Code
	.byte	52                              # DW_TAG_variable
	.byte	0                               # DW_CHILDREN_no
	.byte	2                               # DW_AT_location
	.byte	24                              # DW_FORM_exprloc
	.byte	3                               # DW_AT_name
	.byte	14                              # DW_FORM_strp
	.byte	58                              # DW_AT_decl_file
	.byte	11                              # DW_FORM_data1
	.byte	59                              # DW_AT_decl_line
	.byte	11                              # DW_FORM_data1
	.byte	73                              # DW_AT_type
	.byte	19                              # DW_FORM_ref4
	.byte	0                               # EOM(1)
	.byte	0                               # EOM(2)
	.byte	13                              # Abbreviation Code
	.byte	11                              # DW_TAG_lexical_block
	.byte	1                               # DW_CHILDREN_yes
	.byte	17                              # DW_AT_low_pc
	.byte	1                               # DW_FORM_addr
	.byte	18                              # DW_AT_high_pc
	.byte	6                               # DW_FORM_data4
	.byte	0                               # EOM(1)
	.byte	0                               # EOM(2)
	.byte	14                              # Abbreviation Code
	.byte	46                              # DW_TAG_subprogram
	.byte	1                               # DW_CHILDREN_yes
	.byte	3                               # DW_AT_name
	.byte	14                              # DW_FORM_strp
	.byte	58                              # DW_AT_decl_file
	.byte	11                              # DW_FORM_data1
	.byte	59                              # DW_AT_decl_line
	.byte	11                              # DW_FORM_data1
	.byte	39                              # DW_AT_prototyped
	.byte	25                              # DW_FORM_flag_present
	.byte	73                              # DW_AT_type
	.byte	19                              # DW_FORM_ref4
	.byte	32                              # DW_AT_inline
	.byte	11                              # DW_FORM_data1
	.byte	0                               # EOM(1)
	.byte	0                               # EOM(2)
	.byte	15                              # Abbreviation Code
	.byte	52                              # DW_TAG_variable
	.byte	0                               # DW_CHILDREN_no
	.byte	3                               # DW_AT_name
	.byte	14                              # DW_FORM_strp
	.byte	58                              # DW_AT_decl_file
	.byte	11                              # DW_FORM_data1
	.byte	59                              # DW_AT_decl_line
	.byte	11                              # DW_FORM_data1
	.byte	73                              # DW_AT_type
	.byte	19                              # DW_FORM_ref4
	.byte	0                               # EOM(1)
	.byte	0                               # EOM(2)
	.byte	16                              # Abbreviation Code
	.byte	19                              # DW_TAG_structure_type
	.byte	1                               # DW_CHILDREN_yes
	.byte	3                               # DW_AT_name
	.byte	14                              # DW_FORM_strp
	.byte	11                              # DW_AT_byte_size
	.byte	5                               # DW_FORM_data2
	.byte	58                              # DW_AT_decl_file
	.byte	11                              # DW_FORM_data1
	.byte	59                              # DW_AT_decl_line
	.byte	11                              # DW_FORM_data1
	.byte	0                               # EOM(1)
	.byte	0                               # EOM(2)
	.byte	17                              # Abbreviation Code
	.byte	13                              # DW_TAG_member
	.byte	0                               # DW_CHILDREN_no
	.byte	3                               # DW_AT_name
	.byte	14                              # DW_FORM_strp
	.byte	73                              # DW_AT_type
	.byte	19                              # DW_FORM_ref4
	.byte	58                              # DW_AT_decl_file
	.byte	11                              # DW_FORM_data1
	.byte	59                              # DW_AT_decl_line
	.byte	11                              # DW_FORM_data1
	.byte	56                              # DW_AT_data_member_location
	.byte	5                               # DW_FORM_data2
	.byte	0                               # EOM(1)
	.byte	0                               # EOM(2)
	.byte	18                              # Abbreviation Code
	.byte	1                               # DW_TAG_array_type
	.byte	1                               # DW_CHILDREN_yes
	.byte	73                              # DW_AT_type
	.byte	19                              # DW_FORM_ref4
	.byte	0                               # EOM(1)
	.byte	0                               # EOM(2)
	.byte	19                              # Abbreviation Code
	.byte	33                              # DW_TAG_subrange_type
	.byte	0                               # DW_CHILDREN_no
	.byte	73                              # DW_AT_type
	.byte	19                              # DW_FORM_ref4
	.byte	55                              # DW_AT_count
	.byte	11                              # DW_FORM_data1
	.byte	0                               # EOM(1)
	.byte	0                               # EOM(2)
	.byte	20                              # Abbreviation Code
	.byte	36                              # DW_TAG_base_type
	.byte	0                               # DW_CHILDREN_no
	.byte	3                               # DW_AT_name
	.byte	14                              # DW_FORM_strp
	.byte	11                              # DW_AT_byte_size
	.byte	11                              # DW_FORM_data1
	.byte	62                              # DW_AT_encoding
	.byte	11                              # DW_FORM_data1
	.byte	0                               # EOM(1)
	.byte	0                               # EOM(2)
	.byte	21                              # Abbreviation Code
	.byte	19                              # DW_TAG_structure_type
	.byte	1                               # DW_CHILDREN_yes
	.byte	11                              # DW_AT_byte_size
	.byte	11                              # DW_FORM_data1
	.byte	58                              # DW_AT_decl_file
	.byte	11                              # DW_FORM_data1
	.byte	59                              # DW_AT_decl_line
	.byte	11                              # DW_FORM_data1
	.byte	0                               # EOM(1)
	.byte	0                               # EOM(2)
	.byte	22                              # Abbreviation Code
	.byte	19                              # DW_TAG_structure_type
	.byte	1                               # DW_CHILDREN_yes
	.byte	11                              # DW_AT_byte_size
	.byte	5                               # DW_FORM_data2
	.byte	58                              # DW_AT_decl_file
	.byte	11                              # DW_FORM_data1
	.byte	59                              # DW_AT_decl_line
	.byte	11                              # DW_FORM_data1
	.byte	0                               # EOM(1)
	.byte	0                               # EOM(2)
	.byte	23                              # Abbreviation Code
	.byte	33                              # DW_TAG_subrange_type
	.byte	0                               # DW_CHILDREN_no
	.byte	73                              # DW_AT_type
	.byte	19                              # DW_FORM_ref4
	.byte	55                              # DW_AT_count
	.byte	5                               # DW_FORM_data2
	.byte	0                               # EOM(1)
	.byte	0                               # EOM(2)
	.byte	24                              # Abbreviation Code
	.byte	46                              # DW_TAG_subprogram
	.byte	1                               # DW_CHILDREN_yes
	.byte	17                              # DW_AT_low_pc
	.byte	1                               # DW_FORM_addr
	.byte	18                              # DW_AT_high_pc
	.byte	6                               # DW_FORM_data4
	.byte	64                              # DW_AT_frame_base
	.byte	24                              # DW_FORM_exprloc
	.byte	3                               # DW_AT_name
	.byte	14                              # DW_FORM_strp
	.byte	58                              # DW_AT_decl_file
	.byte	11                              # DW_FORM_data1
	.byte	59                              # DW_AT_decl_line
	.byte	11                              # DW_FORM_data1
	.byte	39                              # DW_AT_prototyped
	.byte	25                              # DW_FORM_flag_present
	.byte	0                               # EOM(1)
	.byte	0                               # EOM(2)
	.byte	25                              # Abbreviation Code
	.byte	29                              # DW_TAG_inlined_subroutine
	.byte	1                               # DW_CHILDREN_yes
	.byte	49                              # DW_AT_abstract_origin
	.byte	19                              # DW_FORM_ref4
	.byte	17                              # DW_AT_low_pc
	.byte	1                               # DW_FORM_addr
	.byte	18                              # DW_AT_high_pc
	.byte	6                               # DW_FORM_data4
	.byte	88                              # DW_AT_call_file
	.byte	11                              # DW_FORM_data1
	.byte	89                              # DW_AT_call_line
	.byte	11                              # DW_FORM_data1
	.byte	87                              # DW_AT_call_column
	.byte	11                              # DW_FORM_data1
	.byte	0                               # EOM(1)
	.byte	0                               # EOM(2)
	.byte	26                              # Abbreviation Code
	.byte	52                              # DW_TAG_variable
	.byte	0                               # DW_CHILDREN_no
	.byte	2                               # DW_AT_location
	.byte	24                              # DW_FORM_exprloc
	.byte	49                              # DW_AT_abstract_origin
	.byte	19                              # DW_FORM_ref4
	.byte	0                               # EOM(1)
	.byte	0                               # EOM(2)
	.byte	27                              # Abbreviation Code
	.byte	46                              # DW_TAG_subprogram
	.byte	0                               # DW_CHILDREN_no
	.byte	17                              # DW_AT_low_pc
	.byte	1                               # DW_FORM_addr
	.byte	18                              # DW_AT_high_pc
	.byte	6                               # DW_FORM_data4
	.byte	64                              # DW_AT_frame_base
	.byte	24                              # DW_FORM_exprloc
	.byte	3                               # DW_AT_name
	.byte	14                              # DW_FORM_strp
	.byte	58                              # DW_AT_decl_file
	.byte	11                              # DW_FORM_data1
	.byte	59                              # DW_AT_decl_line
	.byte	11                              # DW_FORM_data1
	.byte	39                              # DW_AT_prototyped
	.byte	25                              # DW_FORM_flag_present
	.byte	0                               # EOM(1)
	.byte	0                               # EOM(2)
	.byte	28                              # Abbreviation Code
	.byte	46                              # DW_TAG_subprogram
	.byte	1                               # DW_CHILDREN_yes
	.byte	17                              # DW_AT_low_pc
	.byte	1                               # DW_FORM_addr
	.byte	18                              # DW_AT_high_pc
	.byte	6                               # DW_FORM_data4
	.byte	64                              # DW_AT_frame_base
	.byte	24                              # DW_FORM_exprloc
	.byte	3                               # DW_AT_name
	.byte	14                              # DW_FORM_strp
	.byte	58                              # DW_AT_decl_file
	.byte	11                              # DW_FORM_data1
	.byte	59                              # DW_AT_decl_line
	.byte	11                              # DW_FORM_data1
	.byte	39                              # DW_AT_prototyped
	.byte	25                              # DW_FORM_flag_present
	.byte	73                              # DW_AT_type
	.byte	19                              # DW_FORM_ref4
	.byte	0                               # EOM(1)
	.byte	0                               # EOM(2)
	.byte	29                              # Abbreviation Code
	.byte	38                              # DW_TAG_const_type
	.byte	0                               # DW_CHILDREN_no
	.byte	73                              # DW_AT_type
	.byte	19                              # DW_FORM_ref4
	.byte	0                               # EOM(1)
	.byte	0                               # EOM(2)
	.byte	0                               # EOM(3)
	.section	.debug_info,"",@0x7000001e
$cu_begin0:
	.4byte	$debug_info_end0-$debug_info_start0 # Length of Unit
$debug_info_start0:
	.2byte	4                               # DWARF version number
	.4byte	.debug_abbrev                   # Offset Into Abbrev. Section
	.byte	4                               # Address Size (in bytes)
	.byte	1                               # Abbrev [1] 0xb:0x1374 DW_TAG_compile_unit
	.4byte	$info_string0                   # DW_AT_producer
	.2byte	29                              # DW_AT_language
	.4byte	$info_string1                   # DW_AT_name
	.4byte	$line_table_start0              # DW_AT_stmt_list
	.4byte	$info_string2                   # DW_AT_comp_dir
	.4byte	0                               # DW_AT_low_pc
	.4byte	$debug_ranges0                  # DW_AT_ranges
	.byte	2                               # Abbrev [2] 0x26:0x11 DW_TAG_variable
	.4byte	$info_string3                   # DW_AT_name
	.4byte	55                              # DW_AT_type
	.byte	2                               # DW_AT_decl_file
	.byte	22                              # DW_AT_decl_line
	.byte	5                               # DW_AT_location
	.byte	3
	.4byte	is_initialised
	.byte	3                               # Abbrev [3] 0x37:0x5 DW_TAG_volatile_type
	.4byte	60                              # DW_AT_type
	.byte	4                               # Abbrev [4] 0x3c:0xb DW_TAG_typedef
	.4byte	71                              # DW_AT_type
	.4byte	$info_string5                   # DW_AT_name
	.byte	1                               # DW_AT_decl_file
	.byte	202                             # DW_AT_decl_line
	.byte	5                               # Abbrev [5] 0x47:0x7 DW_TAG_base_type
	.4byte	$info_string4                   # DW_AT_name
	.byte	7                               # DW_AT_encoding
	.byte	4                               # DW_AT_byte_size
	.byte	6                               # Abbrev [6] 0x4e:0x5 DW_TAG_pointer_type
	.4byte	83                              # DW_AT_type
	.byte	7                               # Abbrev [7] 0x53:0x5d DW_TAG_structure_type
	.4byte	$info_string21                  # DW_AT_name
	.byte	52                              # DW_AT_byte_size
	.byte	3                               # DW_AT_decl_file
	.byte	30                              # DW_AT_decl_line
	.byte	8                               # Abbrev [8] 0x5b:0xc DW_TAG_member
	.4byte	$info_string6                   # DW_AT_name
	.4byte	176                             # DW_AT_type
	.byte	3                               # DW_AT_decl_file
	.byte	31                              # DW_AT_decl_line
	.byte	0                               # DW_AT_data_member_location
	.byte	8                               # Abbrev [8] 0x67:0xc DW_TAG_member
	.4byte	$info_string15                  # DW_AT_name
	.4byte	60                              # DW_AT_type
	.byte	3                               # DW_AT_decl_file
	.byte	32                              # DW_AT_decl_line
	.byte	28                              # DW_AT_data_member_location
	.byte	8                               # Abbrev [8] 0x73:0xc DW_TAG_member
	.4byte	$info_string16                  # DW_AT_name
	.4byte	55                              # DW_AT_type
	.byte	3                               # DW_AT_decl_file
	.byte	33                              # DW_AT_decl_line
	.byte	32                              # DW_AT_data_member_location
	.byte	8                               # Abbrev [8] 0x7f:0xc DW_TAG_member
	.4byte	$info_string17                  # DW_AT_name
	.4byte	55                              # DW_AT_type
	.byte	3                               # DW_AT_decl_file
	.byte	34                              # DW_AT_decl_line
	.byte	36                              # DW_AT_data_member_location
	.byte	8                               # Abbrev [8] 0x8b:0xc DW_TAG_member
	.4byte	$info_string18                  # DW_AT_name
	.4byte	55                              # DW_AT_type
	.byte	3                               # DW_AT_decl_file
	.byte	35                              # DW_AT_decl_line
	.byte	40                              # DW_AT_data_member_location
	.byte	8                               # Abbrev [8] 0x97:0xc DW_TAG_member
	.4byte	$info_string19                  # DW_AT_name
	.4byte	55                              # DW_AT_type
	.byte	3                               # DW_AT_decl_file
	.byte	36                              # DW_AT_decl_line
	.byte	44                              # DW_AT_data_member_location
	.byte	8                               # Abbrev [8] 0xa3:0xc DW_TAG_member
	.4byte	$info_string20                  # DW_AT_name
	.4byte	55                              # DW_AT_type
	.byte	3                               # DW_AT_decl_file
	.byte	37                              # DW_AT_decl_line
	.byte	48                              # DW_AT_data_member_location
	.byte	0                               # End Of Children Mark
	.byte	7                               # Abbrev [7] 0xb0:0x5d DW_TAG_structure_type
	.4byte	$info_string14                  # DW_AT_name
	.byte	28                              # DW_AT_byte_size
	.byte	3                               # DW_AT_decl_file
	.byte	19                              # DW_AT_decl_line
	.byte	8                               # Abbrev [8] 0xb8:0xc DW_TAG_member
	.4byte	$info_string7                   # DW_AT_name
	.4byte	55                              # DW_AT_type
	.byte	3                               # DW_AT_decl_file
	.byte	20                              # DW_AT_decl_line
	.byte	0                               # DW_AT_data_member_location
	.byte	8                               # Abbrev [8] 0xc4:0xc DW_TAG_member
	.4byte	$info_string8                   # DW_AT_name
	.4byte	55                              # DW_AT_type
	.byte	3                               # DW_AT_decl_file
	.byte	21                              # DW_AT_decl_line
	.byte	4                               # DW_AT_data_member_location
	.byte	8                               # Abbrev [8] 0xd0:0xc DW_TAG_member
	.4byte	$info_string9                   # DW_AT_name
	.4byte	55                              # DW_AT_type
	.byte	3                               # DW_AT_decl_file
	.byte	22                              # DW_AT_decl_line
	.byte	8                               # DW_AT_data_member_location
	.byte	8                               # Abbrev [8] 0xdc:0xc DW_TAG_member
	.4byte	$info_string10                  # DW_AT_name
	.4byte	55                              # DW_AT_type
	.byte	3                               # DW_AT_decl_file
	.byte	23                              # DW_AT_decl_line
	.byte	12                              # DW_AT_data_member_location
	.byte	8                               # Abbrev [8] 0xe8:0xc DW_TAG_member
	.4byte	$info_string11                  # DW_AT_name
	.4byte	55                              # DW_AT_type
	.byte	3                               # DW_AT_decl_file
	.byte	24                              # DW_AT_decl_line
	.byte	16                              # DW_AT_data_member_location
	.byte	8                               # Abbrev [8] 0xf4:0xc DW_TAG_member
	.4byte	$info_string12                  # DW_AT_name
	.4byte	55                              # DW_AT_type
	.byte	3                               # DW_AT_decl_file
	.byte	25                              # DW_AT_decl_line
	.byte	20                              # DW_AT_data_member_location
	.byte	8                               # Abbrev [8] 0x100:0xc DW_TAG_member
	.4byte	$info_string13                  # DW_AT_name
	.4byte	55                              # DW_AT_type
	.byte	3                               # DW_AT_decl_file
	.byte	26                              # DW_AT_decl_line
	.byte	24                              # DW_AT_data_member_location
	.byte	0                               # End Of Children Mark
	.byte	6                               # Abbrev [6] 0x10d:0x5 DW_TAG_pointer_type
	.4byte	176                             # DW_AT_type
	.byte	9                               # Abbrev [9] 0x112:0xc DW_TAG_typedef
	.4byte	71                              # DW_AT_type
	.4byte	$info_string22                  # DW_AT_name
	.byte	1                               # DW_AT_decl_file
	.2byte	302                             # DW_AT_decl_line
	.byte	6                               # Abbrev [6] 0x11e:0x5 DW_TAG_pointer_type
	.4byte	291                             # DW_AT_type
	.byte	7                               # Abbrev [7] 0x123:0x2d DW_TAG_structure_type
	.4byte	$info_string29                  # DW_AT_name
	.byte	16                              # DW_AT_byte_size
	.byte	3                               # DW_AT_decl_file
	.byte	54                              # DW_AT_decl_line
	.byte	8                               # Abbrev [8] 0x12b:0xc DW_TAG_member
	.4byte	$info_string23                  # DW_AT_name
	.4byte	336                             # DW_AT_type
	.byte	3                               # DW_AT_decl_file
	.byte	55                              # DW_AT_decl_line
	.byte	0                               # DW_AT_data_member_location
	.byte	8                               # Abbrev [8] 0x137:0xc DW_TAG_member
	.4byte	$info_string27                  # DW_AT_name
	.4byte	60                              # DW_AT_type
	.byte	3                               # DW_AT_decl_file
	.byte	56                              # DW_AT_decl_line
	.byte	8                               # DW_AT_data_member_location
	.byte	8                               # Abbrev [8] 0x143:0xc DW_TAG_member
	.4byte	$info_string28                  # DW_AT_name
	.4byte	60                              # DW_AT_type
	.byte	3                               # DW_AT_decl_file
	.byte	57                              # DW_AT_decl_line
	.byte	12                              # DW_AT_data_member_location
	.byte	0                               # End Of Children Mark
	.byte	7                               # Abbrev [7] 0x150:0x21 DW_TAG_structure_type
	.4byte	$info_string26                  # DW_AT_name
	.byte	8                               # DW_AT_byte_size
	.byte	3                               # DW_AT_decl_file
	.byte	48                              # DW_AT_decl_line
	.byte	8                               # Abbrev [8] 0x158:0xc DW_TAG_member
	.4byte	$info_string24                  # DW_AT_name
	.4byte	60                              # DW_AT_type
	.byte	3                               # DW_AT_decl_file
	.byte	49                              # DW_AT_decl_line
	.byte	0                               # DW_AT_data_member_location
	.byte	8                               # Abbrev [8] 0x164:0xc DW_TAG_member
	.4byte	$info_string25                  # DW_AT_name
	.4byte	60                              # DW_AT_type
	.byte	3                               # DW_AT_decl_file
	.byte	50                              # DW_AT_decl_line
	.byte	4                               # DW_AT_data_member_location
	.byte	0                               # End Of Children Mark
	.byte	6                               # Abbrev [6] 0x171:0x5 DW_TAG_pointer_type
	.4byte	374                             # DW_AT_type
	.byte	7                               # Abbrev [7] 0x176:0x21 DW_TAG_structure_type
	.4byte	$info_string32                  # DW_AT_name
	.byte	8                               # DW_AT_byte_size
	.byte	3                               # DW_AT_decl_file
	.byte	61                              # DW_AT_decl_line
	.byte	8                               # Abbrev [8] 0x17e:0xc DW_TAG_member
	.4byte	$info_string30                  # DW_AT_name
	.4byte	60                              # DW_AT_type
	.byte	3                               # DW_AT_decl_file
	.byte	62                              # DW_AT_decl_line
	.byte	0                               # DW_AT_data_member_location
	.byte	8                               # Abbrev [8] 0x18a:0xc DW_TAG_member
	.4byte	$info_string31                  # DW_AT_name
	.4byte	60                              # DW_AT_type
	.byte	3                               # DW_AT_decl_file
	.byte	63                              # DW_AT_decl_line
	.byte	4                               # DW_AT_data_member_location
	.byte	0                               # End Of Children Mark
	.byte	4                               # Abbrev [4] 0x197:0xb DW_TAG_typedef
	.4byte	418                             # DW_AT_type
	.4byte	$info_string34                  # DW_AT_name
	.byte	1                               # DW_AT_decl_file
	.byte	197                             # DW_AT_decl_line
	.byte	5                               # Abbrev [5] 0x1a2:0x7 DW_TAG_base_type
	.4byte	$info_string33                  # DW_AT_name
	.byte	5                               # DW_AT_encoding
	.byte	4                               # DW_AT_byte_size
	.byte	10                              # Abbrev [10] 0x1a9:0x4a DW_TAG_subprogram
	.4byte	$func_begin0                    # DW_AT_low_pc
	.4byte	$func_end0-$func_begin0         # DW_AT_high_pc
	.byte	1                               # DW_AT_frame_base
	.byte	110
	.4byte	$info_string113                 # DW_AT_name
	.byte	2                               # DW_AT_decl_file
	.byte	167                             # DW_AT_decl_line
                                        # DW_AT_prototyped
	.4byte	418                             # DW_AT_type
                                        # DW_AT_external
	.byte	11                              # Abbrev [11] 0x1be:0xe DW_TAG_formal_parameter
	.byte	2                               # DW_AT_location
	.byte	141
	.byte	36
	.4byte	$info_string143                 # DW_AT_name
	.byte	2                               # DW_AT_decl_file
	.byte	167                             # DW_AT_decl_line
	.4byte	60                              # DW_AT_type
	.byte	12                              # Abbrev [12] 0x1cc:0xe DW_TAG_variable
	.byte	2                               # DW_AT_location
	.byte	141
	.byte	35
	.4byte	$info_string144                 # DW_AT_name
	.byte	2                               # DW_AT_decl_file
	.byte	181                             # DW_AT_decl_line
	.4byte	4926                            # DW_AT_type
	.byte	13                              # Abbrev [13] 0x1da:0x18 DW_TAG_lexical_block
	.4byte	$tmp3                           # DW_AT_low_pc
	.4byte	$tmp5-$tmp3                     # DW_AT_high_pc
	.byte	12                              # Abbrev [12] 0x1e3:0xe DW_TAG_variable
	.byte	2                               # DW_AT_location
	.byte	141
	.byte	34
	.4byte	$info_string145                 # DW_AT_name
	.byte	2                               # DW_AT_decl_file
	.byte	184                             # DW_AT_decl_line
	.4byte	4926                            # DW_AT_type
	.byte	0                               # End Of Children Mark
	.byte	0                               # End Of Children Mark
	.byte	14                              # Abbrev [14] 0x1f3:0x18 DW_TAG_subprogram
	.4byte	$info_string35                  # DW_AT_name
	.byte	4                               # DW_AT_decl_file
	.byte	142                             # DW_AT_decl_line
                                        # DW_AT_prototyped
	.4byte	523                             # DW_AT_type
	.byte	1                               # DW_AT_inline
	.byte	15                              # Abbrev [15] 0x1ff:0xb DW_TAG_variable
	.4byte	$info_string112                 # DW_AT_name
	.byte	4                               # DW_AT_decl_file
	.byte	144                             # DW_AT_decl_line
	.4byte	523                             # DW_AT_type
	.byte	0                               # End Of Children Mark
	.byte	6                               # Abbrev [6] 0x20b:0x5 DW_TAG_pointer_type
	.4byte	528                             # DW_AT_type
	.byte	16                              # Abbrev [16] 0x210:0x220 DW_TAG_structure_type
	.4byte	$info_string112                 # DW_AT_name
	.2byte	13652                           # DW_AT_byte_size
	.byte	4                               # DW_AT_decl_file
	.byte	80                              # DW_AT_decl_line
	.byte	8                               # Abbrev [8] 0x219:0xc DW_TAG_member
	.4byte	$info_string36                  # DW_AT_name
	.4byte	1072                            # DW_AT_type
	.byte	4                               # DW_AT_decl_file
	.byte	81                              # DW_AT_decl_line
	.byte	0                               # DW_AT_data_member_location
	.byte	8                               # Abbrev [8] 0x225:0xc DW_TAG_member
	.4byte	$info_string15                  # DW_AT_name
	.4byte	1153                            # DW_AT_type
	.byte	4                               # DW_AT_decl_file
	.byte	82                              # DW_AT_decl_line
	.byte	24                              # DW_AT_data_member_location
	.byte	8                               # Abbrev [8] 0x231:0xc DW_TAG_member
	.4byte	$info_string23                  # DW_AT_name
	.4byte	1172                            # DW_AT_type
	.byte	4                               # DW_AT_decl_file
	.byte	83                              # DW_AT_decl_line
	.byte	32                              # DW_AT_data_member_location
	.byte	8                               # Abbrev [8] 0x23d:0xc DW_TAG_member
	.4byte	$info_string51                  # DW_AT_name
	.4byte	1286                            # DW_AT_type
	.byte	4                               # DW_AT_decl_file
	.byte	84                              # DW_AT_decl_line
	.byte	84                              # DW_AT_data_member_location
	.byte	8                               # Abbrev [8] 0x249:0xc DW_TAG_member
	.4byte	$info_string56                  # DW_AT_name
	.4byte	1343                            # DW_AT_type
	.byte	4                               # DW_AT_decl_file
	.byte	87                              # DW_AT_decl_line
	.byte	100                             # DW_AT_data_member_location
	.byte	8                               # Abbrev [8] 0x255:0xc DW_TAG_member
	.4byte	$info_string59                  # DW_AT_name
	.4byte	55                              # DW_AT_type
	.byte	4                               # DW_AT_decl_file
	.byte	88                              # DW_AT_decl_line
	.byte	104                             # DW_AT_data_member_location
	.byte	8                               # Abbrev [8] 0x261:0xc DW_TAG_member
	.4byte	$info_string60                  # DW_AT_name
	.4byte	55                              # DW_AT_type
	.byte	4                               # DW_AT_decl_file
	.byte	89                              # DW_AT_decl_line
	.byte	108                             # DW_AT_data_member_location
	.byte	8                               # Abbrev [8] 0x26d:0xc DW_TAG_member
	.4byte	$info_string61                  # DW_AT_name
	.4byte	55                              # DW_AT_type
	.byte	4                               # DW_AT_decl_file
	.byte	90                              # DW_AT_decl_line
	.byte	112                             # DW_AT_data_member_location
	.byte	8                               # Abbrev [8] 0x279:0xc DW_TAG_member
	.4byte	$info_string62                  # DW_AT_name
	.4byte	55                              # DW_AT_type
	.byte	4                               # DW_AT_decl_file
	.byte	91                              # DW_AT_decl_line
	.byte	116                             # DW_AT_data_member_location
	.byte	8                               # Abbrev [8] 0x285:0xc DW_TAG_member
	.4byte	$info_string63                  # DW_AT_name
	.4byte	55                              # DW_AT_type
	.byte	4                               # DW_AT_decl_file
	.byte	92                              # DW_AT_decl_line
	.byte	120                             # DW_AT_data_member_location
	.byte	8                               # Abbrev [8] 0x291:0xc DW_TAG_member
	.4byte	$info_string64                  # DW_AT_name
	.4byte	1343                            # DW_AT_type
	.byte	4                               # DW_AT_decl_file
	.byte	93                              # DW_AT_decl_line
	.byte	124                             # DW_AT_data_member_location
	.byte	8                               # Abbrev [8] 0x29d:0xc DW_TAG_member
	.4byte	$info_string65                  # DW_AT_name
	.4byte	55                              # DW_AT_type
	.byte	4                               # DW_AT_decl_file
	.byte	94                              # DW_AT_decl_line
	.byte	128                             # DW_AT_data_member_location
	.byte	8                               # Abbrev [8] 0x2a9:0xc DW_TAG_member
	.4byte	$info_string66                  # DW_AT_name
	.4byte	55                              # DW_AT_type
	.byte	4                               # DW_AT_decl_file
	.byte	95                              # DW_AT_decl_line
	.byte	132                             # DW_AT_data_member_location
	.byte	8                               # Abbrev [8] 0x2b5:0xc DW_TAG_member
	.4byte	$info_string67                  # DW_AT_name
	.4byte	1343                            # DW_AT_type
	.byte	4                               # DW_AT_decl_file
	.byte	96                              # DW_AT_decl_line
	.byte	136                             # DW_AT_data_member_location
	.byte	8                               # Abbrev [8] 0x2c1:0xc DW_TAG_member
	.4byte	$info_string68                  # DW_AT_name
	.4byte	55                              # DW_AT_type
	.byte	4                               # DW_AT_decl_file
	.byte	97                              # DW_AT_decl_line
	.byte	140                             # DW_AT_data_member_location
	.byte	8                               # Abbrev [8] 0x2cd:0xc DW_TAG_member
	.4byte	$info_string69                  # DW_AT_name
	.4byte	55                              # DW_AT_type
	.byte	4                               # DW_AT_decl_file
	.byte	98                              # DW_AT_decl_line
	.byte	144                             # DW_AT_data_member_location
	.byte	8                               # Abbrev [8] 0x2d9:0xc DW_TAG_member
	.4byte	$info_string70                  # DW_AT_name
	.4byte	1343                            # DW_AT_type
	.byte	4                               # DW_AT_decl_file
	.byte	101                             # DW_AT_decl_line
	.byte	148                             # DW_AT_data_member_location
	.byte	8                               # Abbrev [8] 0x2e5:0xc DW_TAG_member
	.4byte	$info_string71                  # DW_AT_name
	.4byte	55                              # DW_AT_type
	.byte	4                               # DW_AT_decl_file
	.byte	102                             # DW_AT_decl_line
	.byte	152                             # DW_AT_data_member_location
	.byte	8                               # Abbrev [8] 0x2f1:0xc DW_TAG_member
	.4byte	$info_string72                  # DW_AT_name
	.4byte	55                              # DW_AT_type
	.byte	4                               # DW_AT_decl_file
	.byte	103                             # DW_AT_decl_line
	.byte	156                             # DW_AT_data_member_location
	.byte	8                               # Abbrev [8] 0x2fd:0xc DW_TAG_member
	.4byte	$info_string73                  # DW_AT_name
	.4byte	55                              # DW_AT_type
	.byte	4                               # DW_AT_decl_file
	.byte	104                             # DW_AT_decl_line
	.byte	160                             # DW_AT_data_member_location
	.byte	8                               # Abbrev [8] 0x309:0xc DW_TAG_member
	.4byte	$info_string74                  # DW_AT_name
	.4byte	1343                            # DW_AT_type
	.byte	4                               # DW_AT_decl_file
	.byte	105                             # DW_AT_decl_line
	.byte	164                             # DW_AT_data_member_location
	.byte	8                               # Abbrev [8] 0x315:0xc DW_TAG_member
	.4byte	$info_string75                  # DW_AT_name
	.4byte	55                              # DW_AT_type
	.byte	4                               # DW_AT_decl_file
	.byte	106                             # DW_AT_decl_line
	.byte	168                             # DW_AT_data_member_location
	.byte	8                               # Abbrev [8] 0x321:0xc DW_TAG_member
	.4byte	$info_string76                  # DW_AT_name
	.4byte	55                              # DW_AT_type
	.byte	4                               # DW_AT_decl_file
	.byte	107                             # DW_AT_decl_line
	.byte	172                             # DW_AT_data_member_location
	.byte	8                               # Abbrev [8] 0x32d:0xc DW_TAG_member
	.4byte	$info_string77                  # DW_AT_name
	.4byte	55                              # DW_AT_type
	.byte	4                               # DW_AT_decl_file
	.byte	108                             # DW_AT_decl_line
	.byte	176                             # DW_AT_data_member_location
	.byte	8                               # Abbrev [8] 0x339:0xc DW_TAG_member
	.4byte	$info_string78                  # DW_AT_name
	.4byte	1371                            # DW_AT_type
	.byte	4                               # DW_AT_decl_file
	.byte	110                             # DW_AT_decl_line
	.byte	180                             # DW_AT_data_member_location
	.byte	17                              # Abbrev [17] 0x345:0xd DW_TAG_member
	.4byte	$info_string90                  # DW_AT_name
	.4byte	1371                            # DW_AT_type
	.byte	4                               # DW_AT_decl_file
	.byte	110                             # DW_AT_decl_line
	.2byte	1480                            # DW_AT_data_member_location
	.byte	17                              # Abbrev [17] 0x352:0xd DW_TAG_member
	.4byte	$info_string91                  # DW_AT_name
	.4byte	1343                            # DW_AT_type
	.byte	4                               # DW_AT_decl_file
	.byte	113                             # DW_AT_decl_line
	.2byte	2780                            # DW_AT_data_member_location
	.byte	17                              # Abbrev [17] 0x35f:0xd DW_TAG_member
	.4byte	$info_string92                  # DW_AT_name
	.4byte	55                              # DW_AT_type
	.byte	4                               # DW_AT_decl_file
	.byte	114                             # DW_AT_decl_line
	.2byte	2784                            # DW_AT_data_member_location
	.byte	17                              # Abbrev [17] 0x36c:0xd DW_TAG_member
	.4byte	$info_string93                  # DW_AT_name
	.4byte	55                              # DW_AT_type
	.byte	4                               # DW_AT_decl_file
	.byte	115                             # DW_AT_decl_line
	.2byte	2788                            # DW_AT_data_member_location
	.byte	17                              # Abbrev [17] 0x379:0xd DW_TAG_member
	.4byte	$info_string94                  # DW_AT_name
	.4byte	55                              # DW_AT_type
	.byte	4                               # DW_AT_decl_file
	.byte	116                             # DW_AT_decl_line
	.2byte	2792                            # DW_AT_data_member_location
	.byte	17                              # Abbrev [17] 0x386:0xd DW_TAG_member
	.4byte	$info_string95                  # DW_AT_name
	.4byte	55                              # DW_AT_type
	.byte	4                               # DW_AT_decl_file
	.byte	117                             # DW_AT_decl_line
	.2byte	2796                            # DW_AT_data_member_location
	.byte	17                              # Abbrev [17] 0x393:0xd DW_TAG_member
	.4byte	$info_string13                  # DW_AT_name
	.4byte	1545                            # DW_AT_type
	.byte	4                               # DW_AT_decl_file
	.byte	118                             # DW_AT_decl_line
	.2byte	2800                            # DW_AT_data_member_location
	.byte	17                              # Abbrev [17] 0x3a0:0xd DW_TAG_member
	.4byte	$info_string97                  # DW_AT_name
	.4byte	1343                            # DW_AT_type
	.byte	4                               # DW_AT_decl_file
	.byte	121                             # DW_AT_decl_line
	.2byte	2808                            # DW_AT_data_member_location
	.byte	17                              # Abbrev [17] 0x3ad:0xd DW_TAG_member
	.4byte	$info_string98                  # DW_AT_name
	.4byte	55                              # DW_AT_type
	.byte	4                               # DW_AT_decl_file
	.byte	122                             # DW_AT_decl_line
	.2byte	2812                            # DW_AT_data_member_location
	.byte	17                              # Abbrev [17] 0x3ba:0xd DW_TAG_member
	.4byte	$info_string99                  # DW_AT_name
	.4byte	55                              # DW_AT_type
	.byte	4                               # DW_AT_decl_file
	.byte	123                             # DW_AT_decl_line
	.2byte	2816                            # DW_AT_data_member_location
	.byte	17                              # Abbrev [17] 0x3c7:0xd DW_TAG_member
	.4byte	$info_string100                 # DW_AT_name
	.4byte	1466                            # DW_AT_type
	.byte	4                               # DW_AT_decl_file
	.byte	125                             # DW_AT_decl_line
	.2byte	2820                            # DW_AT_data_member_location
	.byte	17                              # Abbrev [17] 0x3d4:0xd DW_TAG_member
	.4byte	$info_string101                 # DW_AT_name
	.4byte	1466                            # DW_AT_type
	.byte	4                               # DW_AT_decl_file
	.byte	126                             # DW_AT_decl_line
	.2byte	3076                            # DW_AT_data_member_location
	.byte	17                              # Abbrev [17] 0x3e1:0xd DW_TAG_member
	.4byte	$info_string102                 # DW_AT_name
	.4byte	1578                            # DW_AT_type
	.byte	4                               # DW_AT_decl_file
	.byte	128                             # DW_AT_decl_line
	.2byte	3332                            # DW_AT_data_member_location
	.byte	17                              # Abbrev [17] 0x3ee:0xd DW_TAG_member
	.4byte	$info_string103                 # DW_AT_name
	.4byte	1590                            # DW_AT_type
	.byte	4                               # DW_AT_decl_file
	.byte	129                             # DW_AT_decl_line
	.2byte	3348                            # DW_AT_data_member_location
	.byte	17                              # Abbrev [17] 0x3fb:0xd DW_TAG_member
	.4byte	$info_string104                 # DW_AT_name
	.4byte	1602                            # DW_AT_type
	.byte	4                               # DW_AT_decl_file
	.byte	130                             # DW_AT_decl_line
	.2byte	3412                            # DW_AT_data_member_location
	.byte	17                              # Abbrev [17] 0x408:0xd DW_TAG_member
	.4byte	$info_string109                 # DW_AT_name
	.4byte	1667                            # DW_AT_type
	.byte	4                               # DW_AT_decl_file
	.byte	131                             # DW_AT_decl_line
	.2byte	9556                            # DW_AT_data_member_location
	.byte	17                              # Abbrev [17] 0x415:0xd DW_TAG_member
	.4byte	$info_string110                 # DW_AT_name
	.4byte	1680                            # DW_AT_type
	.byte	4                               # DW_AT_decl_file
	.byte	132                             # DW_AT_decl_line
	.2byte	11604                           # DW_AT_data_member_location
	.byte	17                              # Abbrev [17] 0x422:0xd DW_TAG_member
	.4byte	$info_string111                 # DW_AT_name
	.4byte	1680                            # DW_AT_type
	.byte	4                               # DW_AT_decl_file
	.byte	133                             # DW_AT_decl_line
	.2byte	12628                           # DW_AT_data_member_location
	.byte	0                               # End Of Children Mark
	.byte	7                               # Abbrev [7] 0x430:0x51 DW_TAG_structure_type
	.4byte	$info_string36                  # DW_AT_name
	.byte	24                              # DW_AT_byte_size
	.byte	4                               # DW_AT_decl_file
	.byte	60                              # DW_AT_decl_line
	.byte	8                               # Abbrev [8] 0x438:0xc DW_TAG_member
	.4byte	$info_string37                  # DW_AT_name
	.4byte	55                              # DW_AT_type
	.byte	4                               # DW_AT_decl_file
	.byte	61                              # DW_AT_decl_line
	.byte	0                               # DW_AT_data_member_location
	.byte	8                               # Abbrev [8] 0x444:0xc DW_TAG_member
	.4byte	$info_string38                  # DW_AT_name
	.4byte	55                              # DW_AT_type
	.byte	4                               # DW_AT_decl_file
	.byte	62                              # DW_AT_decl_line
	.byte	4                               # DW_AT_data_member_location
	.byte	8                               # Abbrev [8] 0x450:0xc DW_TAG_member
	.4byte	$info_string39                  # DW_AT_name
	.4byte	55                              # DW_AT_type
	.byte	4                               # DW_AT_decl_file
	.byte	63                              # DW_AT_decl_line
	.byte	8                               # DW_AT_data_member_location
	.byte	8                               # Abbrev [8] 0x45c:0xc DW_TAG_member
	.4byte	$info_string40                  # DW_AT_name
	.4byte	55                              # DW_AT_type
	.byte	4                               # DW_AT_decl_file
	.byte	64                              # DW_AT_decl_line
	.byte	12                              # DW_AT_data_member_location
	.byte	8                               # Abbrev [8] 0x468:0xc DW_TAG_member
	.4byte	$info_string41                  # DW_AT_name
	.4byte	55                              # DW_AT_type
	.byte	4                               # DW_AT_decl_file
	.byte	65                              # DW_AT_decl_line
	.byte	16                              # DW_AT_data_member_location
	.byte	8                               # Abbrev [8] 0x474:0xc DW_TAG_member
	.4byte	$info_string42                  # DW_AT_name
	.4byte	55                              # DW_AT_type
	.byte	4                               # DW_AT_decl_file
	.byte	66                              # DW_AT_decl_line
	.byte	20                              # DW_AT_data_member_location
	.byte	0                               # End Of Children Mark
	.byte	18                              # Abbrev [18] 0x481:0xc DW_TAG_array_type
	.4byte	60                              # DW_AT_type
	.byte	19                              # Abbrev [19] 0x486:0x6 DW_TAG_subrange_type
	.4byte	1165                            # DW_AT_type
	.byte	2                               # DW_AT_count
	.byte	0                               # End Of Children Mark
	.byte	20                              # Abbrev [20] 0x48d:0x7 DW_TAG_base_type
	.4byte	$info_string43                  # DW_AT_name
	.byte	8                               # DW_AT_byte_size
	.byte	7                               # DW_AT_encoding
	.byte	7                               # Abbrev [7] 0x494:0x51 DW_TAG_structure_type
	.4byte	$info_string50                  # DW_AT_name
	.byte	52                              # DW_AT_byte_size
	.byte	3                               # DW_AT_decl_file
	.byte	86                              # DW_AT_decl_line
	.byte	8                               # Abbrev [8] 0x49c:0xc DW_TAG_member
	.4byte	$info_string44                  # DW_AT_name
	.4byte	1253                            # DW_AT_type
	.byte	3                               # DW_AT_decl_file
	.byte	87                              # DW_AT_decl_line
	.byte	0                               # DW_AT_data_member_location
	.byte	8                               # Abbrev [8] 0x4a8:0xc DW_TAG_member
	.4byte	$info_string46                  # DW_AT_name
	.4byte	1253                            # DW_AT_type
	.byte	3                               # DW_AT_decl_file
	.byte	88                              # DW_AT_decl_line
	.byte	12                              # DW_AT_data_member_location
	.byte	8                               # Abbrev [8] 0x4b4:0xc DW_TAG_member
	.4byte	$info_string47                  # DW_AT_name
	.4byte	1253                            # DW_AT_type
	.byte	3                               # DW_AT_decl_file
	.byte	89                              # DW_AT_decl_line
	.byte	24                              # DW_AT_data_member_location
	.byte	8                               # Abbrev [8] 0x4c0:0xc DW_TAG_member
	.4byte	$info_string13                  # DW_AT_name
	.4byte	336                             # DW_AT_type
	.byte	3                               # DW_AT_decl_file
	.byte	90                              # DW_AT_decl_line
	.byte	36                              # DW_AT_data_member_location
	.byte	8                               # Abbrev [8] 0x4cc:0xc DW_TAG_member
	.4byte	$info_string48                  # DW_AT_name
	.4byte	55                              # DW_AT_type
	.byte	3                               # DW_AT_decl_file
	.byte	91                              # DW_AT_decl_line
	.byte	44                              # DW_AT_data_member_location
	.byte	8                               # Abbrev [8] 0x4d8:0xc DW_TAG_member
	.4byte	$info_string49                  # DW_AT_name
	.4byte	60                              # DW_AT_type
	.byte	3                               # DW_AT_decl_file
	.byte	92                              # DW_AT_decl_line
	.byte	48                              # DW_AT_data_member_location
	.byte	0                               # End Of Children Mark
	.byte	7                               # Abbrev [7] 0x4e5:0x21 DW_TAG_structure_type
	.4byte	$info_string45                  # DW_AT_name
	.byte	12                              # DW_AT_byte_size
	.byte	3                               # DW_AT_decl_file
	.byte	80                              # DW_AT_decl_line
	.byte	8                               # Abbrev [8] 0x4ed:0xc DW_TAG_member
	.4byte	$info_string30                  # DW_AT_name
	.4byte	336                             # DW_AT_type
	.byte	3                               # DW_AT_decl_file
	.byte	81                              # DW_AT_decl_line
	.byte	0                               # DW_AT_data_member_location
	.byte	8                               # Abbrev [8] 0x4f9:0xc DW_TAG_member
	.4byte	$info_string8                   # DW_AT_name
	.4byte	60                              # DW_AT_type
	.byte	3                               # DW_AT_decl_file
	.byte	82                              # DW_AT_decl_line
	.byte	8                               # DW_AT_data_member_location
	.byte	0                               # End Of Children Mark
	.byte	7                               # Abbrev [7] 0x506:0x39 DW_TAG_structure_type
	.4byte	$info_string51                  # DW_AT_name
	.byte	16                              # DW_AT_byte_size
	.byte	5                               # DW_AT_decl_file
	.byte	24                              # DW_AT_decl_line
	.byte	8                               # Abbrev [8] 0x50e:0xc DW_TAG_member
	.4byte	$info_string52                  # DW_AT_name
	.4byte	60                              # DW_AT_type
	.byte	5                               # DW_AT_decl_file
	.byte	25                              # DW_AT_decl_line
	.byte	0                               # DW_AT_data_member_location
	.byte	8                               # Abbrev [8] 0x51a:0xc DW_TAG_member
	.4byte	$info_string53                  # DW_AT_name
	.4byte	60                              # DW_AT_type
	.byte	5                               # DW_AT_decl_file
	.byte	26                              # DW_AT_decl_line
	.byte	4                               # DW_AT_data_member_location
	.byte	8                               # Abbrev [8] 0x526:0xc DW_TAG_member
	.4byte	$info_string54                  # DW_AT_name
	.4byte	60                              # DW_AT_type
	.byte	5                               # DW_AT_decl_file
	.byte	27                              # DW_AT_decl_line
	.byte	8                               # DW_AT_data_member_location
	.byte	8                               # Abbrev [8] 0x532:0xc DW_TAG_member
	.4byte	$info_string55                  # DW_AT_name
	.4byte	60                              # DW_AT_type
	.byte	5                               # DW_AT_decl_file
	.byte	28                              # DW_AT_decl_line
	.byte	12                              # DW_AT_data_member_location
	.byte	0                               # End Of Children Mark
	.byte	4                               # Abbrev [4] 0x53f:0xb DW_TAG_typedef
	.4byte	1354                            # DW_AT_type
	.4byte	$info_string58                  # DW_AT_name
	.byte	6                               # DW_AT_decl_file
	.byte	13                              # DW_AT_decl_line
	.byte	21                              # Abbrev [21] 0x54a:0x11 DW_TAG_structure_type
	.byte	4                               # DW_AT_byte_size
	.byte	6                               # DW_AT_decl_file
	.byte	11                              # DW_AT_decl_line
	.byte	8                               # Abbrev [8] 0x54e:0xc DW_TAG_member
	.4byte	$info_string57                  # DW_AT_name
	.4byte	55                              # DW_AT_type
	.byte	6                               # DW_AT_decl_file
	.byte	12                              # DW_AT_decl_line
	.byte	0                               # DW_AT_data_member_location
	.byte	0                               # End Of Children Mark
	.byte	16                              # Abbrev [16] 0x55b:0x5f DW_TAG_structure_type
	.4byte	$info_string89                  # DW_AT_name
	.2byte	1300                            # DW_AT_byte_size
	.byte	4                               # DW_AT_decl_file
	.byte	70                              # DW_AT_decl_line
	.byte	8                               # Abbrev [8] 0x564:0xc DW_TAG_member
	.4byte	$info_string79                  # DW_AT_name
	.4byte	1343                            # DW_AT_type
	.byte	4                               # DW_AT_decl_file
	.byte	71                              # DW_AT_decl_line
	.byte	0                               # DW_AT_data_member_location
	.byte	8                               # Abbrev [8] 0x570:0xc DW_TAG_member
	.4byte	$info_string80                  # DW_AT_name
	.4byte	55                              # DW_AT_type
	.byte	4                               # DW_AT_decl_file
	.byte	72                              # DW_AT_decl_line
	.byte	4                               # DW_AT_data_member_location
	.byte	8                               # Abbrev [8] 0x57c:0xc DW_TAG_member
	.4byte	$info_string81                  # DW_AT_name
	.4byte	1343                            # DW_AT_type
	.byte	4                               # DW_AT_decl_file
	.byte	73                              # DW_AT_decl_line
	.byte	8                               # DW_AT_data_member_location
	.byte	8                               # Abbrev [8] 0x588:0xc DW_TAG_member
	.4byte	$info_string82                  # DW_AT_name
	.4byte	55                              # DW_AT_type
	.byte	4                               # DW_AT_decl_file
	.byte	74                              # DW_AT_decl_line
	.byte	12                              # DW_AT_data_member_location
	.byte	8                               # Abbrev [8] 0x594:0xc DW_TAG_member
	.4byte	$info_string83                  # DW_AT_name
	.4byte	55                              # DW_AT_type
	.byte	4                               # DW_AT_decl_file
	.byte	75                              # DW_AT_decl_line
	.byte	16                              # DW_AT_data_member_location
	.byte	8                               # Abbrev [8] 0x5a0:0xc DW_TAG_member
	.4byte	$info_string48                  # DW_AT_name
	.4byte	1466                            # DW_AT_type
	.byte	4                               # DW_AT_decl_file
	.byte	76                              # DW_AT_decl_line
	.byte	20                              # DW_AT_data_member_location
	.byte	17                              # Abbrev [17] 0x5ac:0xd DW_TAG_member
	.4byte	$info_string88                  # DW_AT_name
	.4byte	1532                            # DW_AT_type
	.byte	4                               # DW_AT_decl_file
	.byte	77                              # DW_AT_decl_line
	.2byte	276                             # DW_AT_data_member_location
	.byte	0                               # End Of Children Mark
	.byte	4                               # Abbrev [4] 0x5ba:0xb DW_TAG_typedef
	.4byte	1477                            # DW_AT_type
	.4byte	$info_string87                  # DW_AT_name
	.byte	4                               # DW_AT_decl_file
	.byte	35                              # DW_AT_decl_line
	.byte	22                              # Abbrev [22] 0x5c5:0x12 DW_TAG_structure_type
	.2byte	256                             # DW_AT_byte_size
	.byte	4                               # DW_AT_decl_file
	.byte	35                              # DW_AT_decl_line
	.byte	8                               # Abbrev [8] 0x5ca:0xc DW_TAG_member
	.4byte	$info_string84                  # DW_AT_name
	.4byte	1495                            # DW_AT_type
	.byte	4                               # DW_AT_decl_file
	.byte	35                              # DW_AT_decl_line
	.byte	0                               # DW_AT_data_member_location
	.byte	0                               # End Of Children Mark
	.byte	18                              # Abbrev [18] 0x5d7:0xd DW_TAG_array_type
	.4byte	1508                            # DW_AT_type
	.byte	23                              # Abbrev [23] 0x5dc:0x7 DW_TAG_subrange_type
	.4byte	1165                            # DW_AT_type
	.2byte	256                             # DW_AT_count
	.byte	0                               # End Of Children Mark
	.byte	3                               # Abbrev [3] 0x5e4:0x5 DW_TAG_volatile_type
	.4byte	1513                            # DW_AT_type
	.byte	9                               # Abbrev [9] 0x5e9:0xc DW_TAG_typedef
	.4byte	1525                            # DW_AT_type
	.4byte	$info_string86                  # DW_AT_name
	.byte	1                               # DW_AT_decl_file
	.2byte	270                             # DW_AT_decl_line
	.byte	5                               # Abbrev [5] 0x5f5:0x7 DW_TAG_base_type
	.4byte	$info_string85                  # DW_AT_name
	.byte	8                               # DW_AT_encoding
	.byte	1                               # DW_AT_byte_size
	.byte	18                              # Abbrev [18] 0x5fc:0xd DW_TAG_array_type
	.4byte	55                              # DW_AT_type
	.byte	23                              # Abbrev [23] 0x601:0x7 DW_TAG_subrange_type
	.4byte	1165                            # DW_AT_type
	.2byte	256                             # DW_AT_count
	.byte	0                               # End Of Children Mark
	.byte	7                               # Abbrev [7] 0x609:0x21 DW_TAG_structure_type
	.4byte	$info_string96                  # DW_AT_name
	.byte	8                               # DW_AT_byte_size
	.byte	3                               # DW_AT_decl_file
	.byte	74                              # DW_AT_decl_line
	.byte	8                               # Abbrev [8] 0x611:0xc DW_TAG_member
	.4byte	$info_string69                  # DW_AT_name
	.4byte	55                              # DW_AT_type
	.byte	3                               # DW_AT_decl_file
	.byte	75                              # DW_AT_decl_line
	.byte	0                               # DW_AT_data_member_location
	.byte	8                               # Abbrev [8] 0x61d:0xc DW_TAG_member
	.4byte	$info_string76                  # DW_AT_name
	.4byte	55                              # DW_AT_type
	.byte	3                               # DW_AT_decl_file
	.byte	76                              # DW_AT_decl_line
	.byte	4                               # DW_AT_data_member_location
	.byte	0                               # End Of Children Mark
	.byte	18                              # Abbrev [18] 0x62a:0xc DW_TAG_array_type
	.4byte	1508                            # DW_AT_type
	.byte	19                              # Abbrev [19] 0x62f:0x6 DW_TAG_subrange_type
	.4byte	1165                            # DW_AT_type
	.byte	16                              # DW_AT_count
	.byte	0                               # End Of Children Mark
	.byte	18                              # Abbrev [18] 0x636:0xc DW_TAG_array_type
	.4byte	60                              # DW_AT_type
	.byte	19                              # Abbrev [19] 0x63b:0x6 DW_TAG_subrange_type
	.4byte	1165                            # DW_AT_type
	.byte	16                              # DW_AT_count
	.byte	0                               # End Of Children Mark
	.byte	18                              # Abbrev [18] 0x642:0xd DW_TAG_array_type
	.4byte	1615                            # DW_AT_type
	.byte	23                              # Abbrev [23] 0x647:0x7 DW_TAG_subrange_type
	.4byte	1165                            # DW_AT_type
	.2byte	512                             # DW_AT_count
	.byte	0                               # End Of Children Mark
	.byte	4                               # Abbrev [4] 0x64f:0xb DW_TAG_typedef
	.4byte	1626                            # DW_AT_type
	.4byte	$info_string108                 # DW_AT_name
	.byte	4                               # DW_AT_decl_file
	.byte	43                              # DW_AT_decl_line
	.byte	21                              # Abbrev [21] 0x65a:0x29 DW_TAG_structure_type
	.byte	12                              # DW_AT_byte_size
	.byte	4                               # DW_AT_decl_file
	.byte	39                              # DW_AT_decl_line
	.byte	8                               # Abbrev [8] 0x65e:0xc DW_TAG_member
	.4byte	$info_string105                 # DW_AT_name
	.4byte	60                              # DW_AT_type
	.byte	4                               # DW_AT_decl_file
	.byte	40                              # DW_AT_decl_line
	.byte	0                               # DW_AT_data_member_location
	.byte	8                               # Abbrev [8] 0x66a:0xc DW_TAG_member
	.4byte	$info_string106                 # DW_AT_name
	.4byte	60                              # DW_AT_type
	.byte	4                               # DW_AT_decl_file
	.byte	41                              # DW_AT_decl_line
	.byte	4                               # DW_AT_data_member_location
	.byte	8                               # Abbrev [8] 0x676:0xc DW_TAG_member
	.4byte	$info_string107                 # DW_AT_name
	.4byte	60                              # DW_AT_type
	.byte	4                               # DW_AT_decl_file
	.byte	42                              # DW_AT_decl_line
	.byte	8                               # DW_AT_data_member_location
	.byte	0                               # End Of Children Mark
	.byte	18                              # Abbrev [18] 0x683:0xd DW_TAG_array_type
	.4byte	374                             # DW_AT_type
	.byte	23                              # Abbrev [23] 0x688:0x7 DW_TAG_subrange_type
	.4byte	1165                            # DW_AT_type
	.2byte	256                             # DW_AT_count
	.byte	0                               # End Of Children Mark
	.byte	18                              # Abbrev [18] 0x690:0xd DW_TAG_array_type
	.4byte	60                              # DW_AT_type
	.byte	23                              # Abbrev [23] 0x695:0x7 DW_TAG_subrange_type
	.4byte	1165                            # DW_AT_type
	.2byte	256                             # DW_AT_count
	.byte	0                               # End Of Children Mark
	.byte	24                              # Abbrev [24] 0x69d:0xa3 DW_TAG_subprogram
	.4byte	$func_begin1                    # DW_AT_low_pc
	.4byte	$func_end1-$func_begin1         # DW_AT_high_pc
	.byte	1                               # DW_AT_frame_base
	.byte	110
	.4byte	$info_string114                 # DW_AT_name
	.byte	2                               # DW_AT_decl_file
	.byte	150                             # DW_AT_decl_line
                                        # DW_AT_prototyped
	.byte	12                              # Abbrev [12] 0x6ae:0xf DW_TAG_variable
	.byte	3                               # DW_AT_location
	.byte	141
	.ascii	"\330\001"
	.4byte	$info_string36                  # DW_AT_name
	.byte	2                               # DW_AT_decl_file
	.byte	152                             # DW_AT_decl_line
	.4byte	4933                            # DW_AT_type
	.byte	25                              # Abbrev [25] 0x6bd:0x1a DW_TAG_inlined_subroutine
	.4byte	499                             # DW_AT_abstract_origin
	.4byte	$tmp8                           # DW_AT_low_pc
	.4byte	$tmp9-$tmp8                     # DW_AT_high_pc
	.byte	2                               # DW_AT_call_file
	.byte	152                             # DW_AT_call_line
	.byte	36                              # DW_AT_call_column
	.byte	26                              # Abbrev [26] 0x6cd:0x9 DW_TAG_variable
	.byte	3                               # DW_AT_location
	.byte	141
	.ascii	"\354\001"
	.4byte	511                             # DW_AT_abstract_origin
	.byte	0                               # End Of Children Mark
	.byte	25                              # Abbrev [25] 0x6d7:0x1a DW_TAG_inlined_subroutine
	.4byte	499                             # DW_AT_abstract_origin
	.4byte	$tmp10                          # DW_AT_low_pc
	.4byte	$tmp11-$tmp10                   # DW_AT_high_pc
	.byte	2                               # DW_AT_call_file
	.byte	153                             # DW_AT_call_line
	.byte	12                              # DW_AT_call_column
	.byte	26                              # Abbrev [26] 0x6e7:0x9 DW_TAG_variable
	.byte	3                               # DW_AT_location
	.byte	141
	.ascii	"\350\001"
	.4byte	511                             # DW_AT_abstract_origin
	.byte	0                               # End Of Children Mark
	.byte	25                              # Abbrev [25] 0x6f1:0x1a DW_TAG_inlined_subroutine
	.4byte	499                             # DW_AT_abstract_origin
	.4byte	$tmp12                          # DW_AT_low_pc
	.4byte	$tmp13-$tmp12                   # DW_AT_high_pc
	.byte	2                               # DW_AT_call_file
	.byte	155                             # DW_AT_call_line
	.byte	20                              # DW_AT_call_column
	.byte	26                              # Abbrev [26] 0x701:0x9 DW_TAG_variable
	.byte	3                               # DW_AT_location
	.byte	141
	.ascii	"\344\001"
	.4byte	511                             # DW_AT_abstract_origin
	.byte	0                               # End Of Children Mark
	.byte	25                              # Abbrev [25] 0x70b:0x1a DW_TAG_inlined_subroutine
	.4byte	499                             # DW_AT_abstract_origin
	.4byte	$tmp14                          # DW_AT_low_pc
	.4byte	$tmp15-$tmp14                   # DW_AT_high_pc
	.byte	2                               # DW_AT_call_file
	.byte	156                             # DW_AT_call_line
	.byte	38                              # DW_AT_call_column
	.byte	26                              # Abbrev [26] 0x71b:0x9 DW_TAG_variable
	.byte	3                               # DW_AT_location
	.byte	141
	.ascii	"\340\001"
	.4byte	511                             # DW_AT_abstract_origin
	.byte	0                               # End Of Children Mark
	.byte	25                              # Abbrev [25] 0x725:0x1a DW_TAG_inlined_subroutine
	.4byte	499                             # DW_AT_abstract_origin
	.4byte	$tmp16                          # DW_AT_low_pc
	.4byte	$tmp17-$tmp16                   # DW_AT_high_pc
	.byte	2                               # DW_AT_call_file
	.byte	156                             # DW_AT_call_line
	.byte	5                               # DW_AT_call_column
	.byte	26                              # Abbrev [26] 0x735:0x9 DW_TAG_variable
	.byte	3                               # DW_AT_location
	.byte	141
	.ascii	"\334\001"
	.4byte	511                             # DW_AT_abstract_origin
	.byte	0                               # End Of Children Mark
	.byte	0                               # End Of Children Mark
	.byte	27                              # Abbrev [27] 0x740:0x11 DW_TAG_subprogram
	.4byte	$func_begin2                    # DW_AT_low_pc
	.4byte	$func_end2-$func_begin2         # DW_AT_high_pc
	.byte	1                               # DW_AT_frame_base
	.byte	110
	.4byte	$info_string115                 # DW_AT_name
	.byte	7                               # DW_AT_decl_file
	.byte	53                              # DW_AT_decl_line
                                        # DW_AT_prototyped
	.byte	28                              # Abbrev [28] 0x751:0x86 DW_TAG_subprogram
	.4byte	$func_begin3                    # DW_AT_low_pc
	.4byte	$func_end3-$func_begin3         # DW_AT_high_pc
	.byte	1                               # DW_AT_frame_base
	.byte	110
	.4byte	$info_string116                 # DW_AT_name
	.byte	2                               # DW_AT_decl_file
	.byte	67                              # DW_AT_decl_line
                                        # DW_AT_prototyped
	.4byte	4926                            # DW_AT_type
	.byte	11                              # Abbrev [11] 0x766:0xf DW_TAG_formal_parameter
	.byte	3                               # DW_AT_location
	.byte	141
	.ascii	"\217\001"
	.4byte	$info_string144                 # DW_AT_name
	.byte	2                               # DW_AT_decl_file
	.byte	67                              # DW_AT_decl_line
	.4byte	4926                            # DW_AT_type
	.byte	12                              # Abbrev [12] 0x775:0xf DW_TAG_variable
	.byte	3                               # DW_AT_location
	.byte	141
	.ascii	"\216\001"
	.4byte	$info_string145                 # DW_AT_name
	.byte	2                               # DW_AT_decl_file
	.byte	69                              # DW_AT_decl_line
	.4byte	4926                            # DW_AT_type
	.byte	12                              # Abbrev [12] 0x784:0xf DW_TAG_variable
	.byte	3                               # DW_AT_location
	.byte	141
	.ascii	"\210\001"
	.4byte	$info_string106                 # DW_AT_name
	.byte	2                               # DW_AT_decl_file
	.byte	70                              # DW_AT_decl_line
	.4byte	60                              # DW_AT_type
	.byte	12                              # Abbrev [12] 0x793:0xf DW_TAG_variable
	.byte	3                               # DW_AT_location
	.byte	141
	.ascii	"\204\001"
	.4byte	$info_string146                 # DW_AT_name
	.byte	2                               # DW_AT_decl_file
	.byte	70                              # DW_AT_decl_line
	.4byte	60                              # DW_AT_type
	.byte	25                              # Abbrev [25] 0x7a2:0x1a DW_TAG_inlined_subroutine
	.4byte	499                             # DW_AT_abstract_origin
	.4byte	$tmp25                          # DW_AT_low_pc
	.4byte	$tmp26-$tmp25                   # DW_AT_high_pc
	.byte	2                               # DW_AT_call_file
	.byte	72                              # DW_AT_call_line
	.byte	25                              # DW_AT_call_column
	.byte	26                              # Abbrev [26] 0x7b2:0x9 DW_TAG_variable
	.byte	3                               # DW_AT_location
	.byte	141
	.ascii	"\224\001"
	.4byte	511                             # DW_AT_abstract_origin
	.byte	0                               # End Of Children Mark
	.byte	25                              # Abbrev [25] 0x7bc:0x1a DW_TAG_inlined_subroutine
	.4byte	499                             # DW_AT_abstract_origin
	.4byte	$tmp27                          # DW_AT_low_pc
	.4byte	$tmp28-$tmp27                   # DW_AT_high_pc
	.byte	2                               # DW_AT_call_file
	.byte	72                              # DW_AT_call_line
	.byte	46                              # DW_AT_call_column
	.byte	26                              # Abbrev [26] 0x7cc:0x9 DW_TAG_variable
	.byte	3                               # DW_AT_location
	.byte	141
	.ascii	"\220\001"
	.4byte	511                             # DW_AT_abstract_origin
	.byte	0                               # End Of Children Mark
	.byte	0                               # End Of Children Mark
	.byte	28                              # Abbrev [28] 0x7d7:0xab DW_TAG_subprogram
	.4byte	$func_begin4                    # DW_AT_low_pc
	.4byte	$func_end4-$func_begin4         # DW_AT_high_pc
	.byte	1                               # DW_AT_frame_base
	.byte	110
	.4byte	$info_string118                 # DW_AT_name
	.byte	2                               # DW_AT_decl_file
	.byte	91                              # DW_AT_decl_line
                                        # DW_AT_prototyped
	.4byte	4926                            # DW_AT_type
	.byte	12                              # Abbrev [12] 0x7ec:0xf DW_TAG_variable
	.byte	3                               # DW_AT_location
	.byte	141
	.ascii	"\257\001"
	.4byte	$info_string145                 # DW_AT_name
	.byte	2                               # DW_AT_decl_file
	.byte	93                              # DW_AT_decl_line
	.4byte	4926                            # DW_AT_type
	.byte	12                              # Abbrev [12] 0x7fb:0xf DW_TAG_variable
	.byte	3                               # DW_AT_location
	.byte	141
	.ascii	"\250\001"
	.4byte	$info_string106                 # DW_AT_name
	.byte	2                               # DW_AT_decl_file
	.byte	94                              # DW_AT_decl_line
	.4byte	60                              # DW_AT_type
	.byte	12                              # Abbrev [12] 0x80a:0xf DW_TAG_variable
	.byte	3                               # DW_AT_location
	.byte	141
	.ascii	"\244\001"
	.4byte	$info_string146                 # DW_AT_name
	.byte	2                               # DW_AT_decl_file
	.byte	94                              # DW_AT_decl_line
	.4byte	60                              # DW_AT_type
	.byte	25                              # Abbrev [25] 0x819:0x1a DW_TAG_inlined_subroutine
	.4byte	499                             # DW_AT_abstract_origin
	.4byte	$tmp41                          # DW_AT_low_pc
	.4byte	$tmp42-$tmp41                   # DW_AT_high_pc
	.byte	2                               # DW_AT_call_file
	.byte	96                              # DW_AT_call_line
	.byte	25                              # DW_AT_call_column
	.byte	26                              # Abbrev [26] 0x829:0x9 DW_TAG_variable
	.byte	3                               # DW_AT_location
	.byte	141
	.ascii	"\274\001"
	.4byte	511                             # DW_AT_abstract_origin
	.byte	0                               # End Of Children Mark
	.byte	25                              # Abbrev [25] 0x833:0x1a DW_TAG_inlined_subroutine
	.4byte	499                             # DW_AT_abstract_origin
	.4byte	$tmp43                          # DW_AT_low_pc
	.4byte	$tmp44-$tmp43                   # DW_AT_high_pc
	.byte	2                               # DW_AT_call_file
	.byte	96                              # DW_AT_call_line
	.byte	48                              # DW_AT_call_column
	.byte	26                              # Abbrev [26] 0x843:0x9 DW_TAG_variable
	.byte	3                               # DW_AT_location
	.byte	141
	.ascii	"\270\001"
	.4byte	511                             # DW_AT_abstract_origin
	.byte	0                               # End Of Children Mark
	.byte	25                              # Abbrev [25] 0x84d:0x1a DW_TAG_inlined_subroutine
	.4byte	499                             # DW_AT_abstract_origin
	.4byte	$tmp48                          # DW_AT_low_pc
	.4byte	$tmp49-$tmp48                   # DW_AT_high_pc
	.byte	2                               # DW_AT_call_file
	.byte	103                             # DW_AT_call_line
	.byte	25                              # DW_AT_call_column
	.byte	26                              # Abbrev [26] 0x85d:0x9 DW_TAG_variable
	.byte	3                               # DW_AT_location
	.byte	141
	.ascii	"\264\001"
	.4byte	511                             # DW_AT_abstract_origin
	.byte	0                               # End Of Children Mark
	.byte	25                              # Abbrev [25] 0x867:0x1a DW_TAG_inlined_subroutine
	.4byte	499                             # DW_AT_abstract_origin
	.4byte	$tmp50                          # DW_AT_low_pc
	.4byte	$tmp51-$tmp50                   # DW_AT_high_pc
	.byte	2                               # DW_AT_call_file
	.byte	103                             # DW_AT_call_line
	.byte	47                              # DW_AT_call_column
	.byte	26                              # Abbrev [26] 0x877:0x9 DW_TAG_variable
	.byte	3                               # DW_AT_location
	.byte	141
	.ascii	"\260\001"
	.4byte	511                             # DW_AT_abstract_origin
	.byte	0                               # End Of Children Mark
	.byte	0                               # End Of Children Mark
	.byte	27                              # Abbrev [27] 0x882:0x11 DW_TAG_subprogram
	.4byte	$func_begin5                    # DW_AT_low_pc
	.4byte	$func_end5-$func_begin5         # DW_AT_high_pc
	.byte	1                               # DW_AT_frame_base
	.byte	110
	.4byte	$info_string119                 # DW_AT_name
	.byte	2                               # DW_AT_decl_file
	.byte	117                             # DW_AT_decl_line
                                        # DW_AT_prototyped
	.byte	24                              # Abbrev [24] 0x893:0x330 DW_TAG_subprogram
	.4byte	$func_begin6                    # DW_AT_low_pc
	.4byte	$func_end6-$func_begin6         # DW_AT_high_pc
	.byte	1                               # DW_AT_frame_base
	.byte	110
	.4byte	$info_string120                 # DW_AT_name
	.byte	2                               # DW_AT_decl_file
	.byte	126                             # DW_AT_decl_line
                                        # DW_AT_prototyped
	.byte	11                              # Abbrev [11] 0x8a4:0xf DW_TAG_formal_parameter
	.byte	3                               # DW_AT_location
	.byte	141
	.ascii	"\374\006"
	.4byte	$info_string147                 # DW_AT_name
	.byte	2                               # DW_AT_decl_file
	.byte	126                             # DW_AT_decl_line
	.4byte	60                              # DW_AT_type
	.byte	12                              # Abbrev [12] 0x8b3:0xf DW_TAG_variable
	.byte	3                               # DW_AT_location
	.byte	141
	.ascii	"\370\006"
	.4byte	$info_string36                  # DW_AT_name
	.byte	2                               # DW_AT_decl_file
	.byte	128                             # DW_AT_decl_line
	.4byte	4933                            # DW_AT_type
	.byte	12                              # Abbrev [12] 0x8c2:0xf DW_TAG_variable
	.byte	3                               # DW_AT_location
	.byte	141
	.ascii	"\374\005"
	.4byte	$info_string148                 # DW_AT_name
	.byte	2                               # DW_AT_decl_file
	.byte	129                             # DW_AT_decl_line
	.4byte	4938                            # DW_AT_type
	.byte	25                              # Abbrev [25] 0x8d1:0x1a DW_TAG_inlined_subroutine
	.4byte	499                             # DW_AT_abstract_origin
	.4byte	$tmp62                          # DW_AT_low_pc
	.4byte	$tmp63-$tmp62                   # DW_AT_high_pc
	.byte	2                               # DW_AT_call_file
	.byte	128                             # DW_AT_call_line
	.byte	36                              # DW_AT_call_column
	.byte	26                              # Abbrev [26] 0x8e1:0x9 DW_TAG_variable
	.byte	3                               # DW_AT_location
	.byte	141
	.ascii	"\354\007"
	.4byte	511                             # DW_AT_abstract_origin
	.byte	0                               # End Of Children Mark
	.byte	25                              # Abbrev [25] 0x8eb:0x1a DW_TAG_inlined_subroutine
	.4byte	499                             # DW_AT_abstract_origin
	.4byte	$tmp64                          # DW_AT_low_pc
	.4byte	$tmp65-$tmp64                   # DW_AT_high_pc
	.byte	2                               # DW_AT_call_file
	.byte	131                             # DW_AT_call_line
	.byte	10                              # DW_AT_call_column
	.byte	26                              # Abbrev [26] 0x8fb:0x9 DW_TAG_variable
	.byte	3                               # DW_AT_location
	.byte	141
	.ascii	"\350\007"
	.4byte	511                             # DW_AT_abstract_origin
	.byte	0                               # End Of Children Mark
	.byte	25                              # Abbrev [25] 0x905:0x1a DW_TAG_inlined_subroutine
	.4byte	499                             # DW_AT_abstract_origin
	.4byte	$tmp66                          # DW_AT_low_pc
	.4byte	$tmp67-$tmp66                   # DW_AT_high_pc
	.byte	2                               # DW_AT_call_file
	.byte	131                             # DW_AT_call_line
	.byte	35                              # DW_AT_call_column
	.byte	26                              # Abbrev [26] 0x915:0x9 DW_TAG_variable
	.byte	3                               # DW_AT_location
	.byte	141
	.ascii	"\344\007"
	.4byte	511                             # DW_AT_abstract_origin
	.byte	0                               # End Of Children Mark
	.byte	25                              # Abbrev [25] 0x91f:0x1a DW_TAG_inlined_subroutine
	.4byte	499                             # DW_AT_abstract_origin
	.4byte	$tmp68                          # DW_AT_low_pc
	.4byte	$tmp69-$tmp68                   # DW_AT_high_pc
	.byte	2                               # DW_AT_call_file
	.byte	131                             # DW_AT_call_line
	.byte	56                              # DW_AT_call_column
	.byte	26                              # Abbrev [26] 0x92f:0x9 DW_TAG_variable
	.byte	3                               # DW_AT_location
	.byte	141
	.ascii	"\340\007"
	.4byte	511                             # DW_AT_abstract_origin
	.byte	0                               # End Of Children Mark
	.byte	25                              # Abbrev [25] 0x939:0x1a DW_TAG_inlined_subroutine
	.4byte	499                             # DW_AT_abstract_origin
	.4byte	$tmp70                          # DW_AT_low_pc
	.4byte	$tmp71-$tmp70                   # DW_AT_high_pc
	.byte	2                               # DW_AT_call_file
	.byte	131                             # DW_AT_call_line
	.byte	83                              # DW_AT_call_column
	.byte	26                              # Abbrev [26] 0x949:0x9 DW_TAG_variable
	.byte	3                               # DW_AT_location
	.byte	141
	.ascii	"\334\007"
	.4byte	511                             # DW_AT_abstract_origin
	.byte	0                               # End Of Children Mark
	.byte	25                              # Abbrev [25] 0x953:0x1a DW_TAG_inlined_subroutine
	.4byte	499                             # DW_AT_abstract_origin
	.4byte	$tmp72                          # DW_AT_low_pc
	.4byte	$tmp73-$tmp72                   # DW_AT_high_pc
	.byte	2                               # DW_AT_call_file
	.byte	131                             # DW_AT_call_line
	.byte	106                             # DW_AT_call_column
	.byte	26                              # Abbrev [26] 0x963:0x9 DW_TAG_variable
	.byte	3                               # DW_AT_location
	.byte	141
	.ascii	"\330\007"
	.4byte	511                             # DW_AT_abstract_origin
	.byte	0                               # End Of Children Mark
	.byte	25                              # Abbrev [25] 0x96d:0x1a DW_TAG_inlined_subroutine
	.4byte	499                             # DW_AT_abstract_origin
	.4byte	$tmp74                          # DW_AT_low_pc
	.4byte	$tmp75-$tmp74                   # DW_AT_high_pc
	.byte	2                               # DW_AT_call_file
	.byte	132                             # DW_AT_call_line
	.byte	10                              # DW_AT_call_column
	.byte	26                              # Abbrev [26] 0x97d:0x9 DW_TAG_variable
	.byte	3                               # DW_AT_location
	.byte	141
	.ascii	"\324\007"
	.4byte	511                             # DW_AT_abstract_origin
	.byte	0                               # End Of Children Mark
	.byte	25                              # Abbrev [25] 0x987:0x1a DW_TAG_inlined_subroutine
	.4byte	499                             # DW_AT_abstract_origin
	.4byte	$tmp76                          # DW_AT_low_pc
	.4byte	$tmp77-$tmp76                   # DW_AT_high_pc
	.byte	2                               # DW_AT_call_file
	.byte	132                             # DW_AT_call_line
	.byte	35                              # DW_AT_call_column
	.byte	26                              # Abbrev [26] 0x997:0x9 DW_TAG_variable
	.byte	3                               # DW_AT_location
	.byte	141
	.ascii	"\320\007"
	.4byte	511                             # DW_AT_abstract_origin
	.byte	0                               # End Of Children Mark
	.byte	25                              # Abbrev [25] 0x9a1:0x1a DW_TAG_inlined_subroutine
	.4byte	499                             # DW_AT_abstract_origin
	.4byte	$tmp78                          # DW_AT_low_pc
	.4byte	$tmp79-$tmp78                   # DW_AT_high_pc
	.byte	2                               # DW_AT_call_file
	.byte	132                             # DW_AT_call_line
	.byte	61                              # DW_AT_call_column
	.byte	26                              # Abbrev [26] 0x9b1:0x9 DW_TAG_variable
	.byte	3                               # DW_AT_location
	.byte	141
	.ascii	"\314\007"
	.4byte	511                             # DW_AT_abstract_origin
	.byte	0                               # End Of Children Mark
	.byte	25                              # Abbrev [25] 0x9bb:0x1a DW_TAG_inlined_subroutine
	.4byte	499                             # DW_AT_abstract_origin
	.4byte	$tmp80                          # DW_AT_low_pc
	.4byte	$tmp81-$tmp80                   # DW_AT_high_pc
	.byte	2                               # DW_AT_call_file
	.byte	132                             # DW_AT_call_line
	.byte	85                              # DW_AT_call_column
	.byte	26                              # Abbrev [26] 0x9cb:0x9 DW_TAG_variable
	.byte	3                               # DW_AT_location
	.byte	141
	.ascii	"\310\007"
	.4byte	511                             # DW_AT_abstract_origin
	.byte	0                               # End Of Children Mark
	.byte	25                              # Abbrev [25] 0x9d5:0x1a DW_TAG_inlined_subroutine
	.4byte	499                             # DW_AT_abstract_origin
	.4byte	$tmp82                          # DW_AT_low_pc
	.4byte	$tmp83-$tmp82                   # DW_AT_high_pc
	.byte	2                               # DW_AT_call_file
	.byte	133                             # DW_AT_call_line
	.byte	10                              # DW_AT_call_column
	.byte	26                              # Abbrev [26] 0x9e5:0x9 DW_TAG_variable
	.byte	3                               # DW_AT_location
	.byte	141
	.ascii	"\304\007"
	.4byte	511                             # DW_AT_abstract_origin
	.byte	0                               # End Of Children Mark
	.byte	25                              # Abbrev [25] 0x9ef:0x1a DW_TAG_inlined_subroutine
	.4byte	499                             # DW_AT_abstract_origin
	.4byte	$tmp84                          # DW_AT_low_pc
	.4byte	$tmp85-$tmp84                   # DW_AT_high_pc
	.byte	2                               # DW_AT_call_file
	.byte	133                             # DW_AT_call_line
	.byte	38                              # DW_AT_call_column
	.byte	26                              # Abbrev [26] 0x9ff:0x9 DW_TAG_variable
	.byte	3                               # DW_AT_location
	.byte	141
	.ascii	"\300\007"
	.4byte	511                             # DW_AT_abstract_origin
	.byte	0                               # End Of Children Mark
	.byte	25                              # Abbrev [25] 0xa09:0x1a DW_TAG_inlined_subroutine
	.4byte	499                             # DW_AT_abstract_origin
	.4byte	$tmp86                          # DW_AT_low_pc
	.4byte	$tmp87-$tmp86                   # DW_AT_high_pc
	.byte	2                               # DW_AT_call_file
	.byte	133                             # DW_AT_call_line
	.byte	64                              # DW_AT_call_column
	.byte	26                              # Abbrev [26] 0xa19:0x9 DW_TAG_variable
	.byte	3                               # DW_AT_location
	.byte	141
	.ascii	"\274\007"
	.4byte	511                             # DW_AT_abstract_origin
	.byte	0                               # End Of Children Mark
	.byte	25                              # Abbrev [25] 0xa23:0x1a DW_TAG_inlined_subroutine
	.4byte	499                             # DW_AT_abstract_origin
	.4byte	$tmp88                          # DW_AT_low_pc
	.4byte	$tmp89-$tmp88                   # DW_AT_high_pc
	.byte	2                               # DW_AT_call_file
	.byte	133                             # DW_AT_call_line
	.byte	87                              # DW_AT_call_column
	.byte	26                              # Abbrev [26] 0xa33:0x9 DW_TAG_variable
	.byte	3                               # DW_AT_location
	.byte	141
	.ascii	"\270\007"
	.4byte	511                             # DW_AT_abstract_origin
	.byte	0                               # End Of Children Mark
	.byte	25                              # Abbrev [25] 0xa3d:0x1a DW_TAG_inlined_subroutine
	.4byte	499                             # DW_AT_abstract_origin
	.4byte	$tmp90                          # DW_AT_low_pc
	.4byte	$tmp91-$tmp90                   # DW_AT_high_pc
	.byte	2                               # DW_AT_call_file
	.byte	134                             # DW_AT_call_line
	.byte	10                              # DW_AT_call_column
	.byte	26                              # Abbrev [26] 0xa4d:0x9 DW_TAG_variable
	.byte	3                               # DW_AT_location
	.byte	141
	.ascii	"\264\007"
	.4byte	511                             # DW_AT_abstract_origin
	.byte	0                               # End Of Children Mark
	.byte	25                              # Abbrev [25] 0xa57:0x1a DW_TAG_inlined_subroutine
	.4byte	499                             # DW_AT_abstract_origin
	.4byte	$tmp92                          # DW_AT_low_pc
	.4byte	$tmp93-$tmp92                   # DW_AT_high_pc
	.byte	2                               # DW_AT_call_file
	.byte	134                             # DW_AT_call_line
	.byte	34                              # DW_AT_call_column
	.byte	26                              # Abbrev [26] 0xa67:0x9 DW_TAG_variable
	.byte	3                               # DW_AT_location
	.byte	141
	.ascii	"\260\007"
	.4byte	511                             # DW_AT_abstract_origin
	.byte	0                               # End Of Children Mark
	.byte	25                              # Abbrev [25] 0xa71:0x1a DW_TAG_inlined_subroutine
	.4byte	499                             # DW_AT_abstract_origin
	.4byte	$tmp94                          # DW_AT_low_pc
	.4byte	$tmp95-$tmp94                   # DW_AT_high_pc
	.byte	2                               # DW_AT_call_file
	.byte	134                             # DW_AT_call_line
	.byte	58                              # DW_AT_call_column
	.byte	26                              # Abbrev [26] 0xa81:0x9 DW_TAG_variable
	.byte	3                               # DW_AT_location
	.byte	141
	.ascii	"\254\007"
	.4byte	511                             # DW_AT_abstract_origin
	.byte	0                               # End Of Children Mark
	.byte	25                              # Abbrev [25] 0xa8b:0x1a DW_TAG_inlined_subroutine
	.4byte	499                             # DW_AT_abstract_origin
	.4byte	$tmp96                          # DW_AT_low_pc
	.4byte	$tmp97-$tmp96                   # DW_AT_high_pc
	.byte	2                               # DW_AT_call_file
	.byte	134                             # DW_AT_call_line
	.byte	81                              # DW_AT_call_column
	.byte	26                              # Abbrev [26] 0xa9b:0x9 DW_TAG_variable
	.byte	3                               # DW_AT_location
	.byte	141
	.ascii	"\250\007"
	.4byte	511                             # DW_AT_abstract_origin
	.byte	0                               # End Of Children Mark
	.byte	25                              # Abbrev [25] 0xaa5:0x1a DW_TAG_inlined_subroutine
	.4byte	499                             # DW_AT_abstract_origin
	.4byte	$tmp98                          # DW_AT_low_pc
	.4byte	$tmp99-$tmp98                   # DW_AT_high_pc
	.byte	2                               # DW_AT_call_file
	.byte	134                             # DW_AT_call_line
	.byte	104                             # DW_AT_call_column
	.byte	26                              # Abbrev [26] 0xab5:0x9 DW_TAG_variable
	.byte	3                               # DW_AT_location
	.byte	141
	.ascii	"\244\007"
	.4byte	511                             # DW_AT_abstract_origin
	.byte	0                               # End Of Children Mark
	.byte	25                              # Abbrev [25] 0xabf:0x1a DW_TAG_inlined_subroutine
	.4byte	499                             # DW_AT_abstract_origin
	.4byte	$tmp100                         # DW_AT_low_pc
	.4byte	$tmp101-$tmp100                 # DW_AT_high_pc
	.byte	2                               # DW_AT_call_file
	.byte	135                             # DW_AT_call_line
	.byte	10                              # DW_AT_call_column
	.byte	26                              # Abbrev [26] 0xacf:0x9 DW_TAG_variable
	.byte	3                               # DW_AT_location
	.byte	141
	.ascii	"\240\007"
	.4byte	511                             # DW_AT_abstract_origin
	.byte	0                               # End Of Children Mark
	.byte	25                              # Abbrev [25] 0xad9:0x1a DW_TAG_inlined_subroutine
	.4byte	499                             # DW_AT_abstract_origin
	.4byte	$tmp102                         # DW_AT_low_pc
	.4byte	$tmp103-$tmp102                 # DW_AT_high_pc
	.byte	2                               # DW_AT_call_file
	.byte	135                             # DW_AT_call_line
	.byte	34                              # DW_AT_call_column
	.byte	26                              # Abbrev [26] 0xae9:0x9 DW_TAG_variable
	.byte	3                               # DW_AT_location
	.byte	141
	.ascii	"\234\007"
	.4byte	511                             # DW_AT_abstract_origin
	.byte	0                               # End Of Children Mark
	.byte	25                              # Abbrev [25] 0xaf3:0x1a DW_TAG_inlined_subroutine
	.4byte	499                             # DW_AT_abstract_origin
	.4byte	$tmp104                         # DW_AT_low_pc
	.4byte	$tmp105-$tmp104                 # DW_AT_high_pc
	.byte	2                               # DW_AT_call_file
	.byte	135                             # DW_AT_call_line
	.byte	58                              # DW_AT_call_column
	.byte	26                              # Abbrev [26] 0xb03:0x9 DW_TAG_variable
	.byte	3                               # DW_AT_location
	.byte	141
	.ascii	"\230\007"
	.4byte	511                             # DW_AT_abstract_origin
	.byte	0                               # End Of Children Mark
	.byte	25                              # Abbrev [25] 0xb0d:0x1a DW_TAG_inlined_subroutine
	.4byte	499                             # DW_AT_abstract_origin
	.4byte	$tmp106                         # DW_AT_low_pc
	.4byte	$tmp107-$tmp106                 # DW_AT_high_pc
	.byte	2                               # DW_AT_call_file
	.byte	135                             # DW_AT_call_line
	.byte	80                              # DW_AT_call_column
	.byte	26                              # Abbrev [26] 0xb1d:0x9 DW_TAG_variable
	.byte	3                               # DW_AT_location
	.byte	141
	.ascii	"\224\007"
	.4byte	511                             # DW_AT_abstract_origin
	.byte	0                               # End Of Children Mark
	.byte	25                              # Abbrev [25] 0xb27:0x1a DW_TAG_inlined_subroutine
	.4byte	499                             # DW_AT_abstract_origin
	.4byte	$tmp108                         # DW_AT_low_pc
	.4byte	$tmp109-$tmp108                 # DW_AT_high_pc
	.byte	2                               # DW_AT_call_file
	.byte	135                             # DW_AT_call_line
	.byte	104                             # DW_AT_call_column
	.byte	26                              # Abbrev [26] 0xb37:0x9 DW_TAG_variable
	.byte	3                               # DW_AT_location
	.byte	141
	.ascii	"\220\007"
	.4byte	511                             # DW_AT_abstract_origin
	.byte	0                               # End Of Children Mark
	.byte	25                              # Abbrev [25] 0xb41:0x1a DW_TAG_inlined_subroutine
	.4byte	499                             # DW_AT_abstract_origin
	.4byte	$tmp110                         # DW_AT_low_pc
	.4byte	$tmp111-$tmp110                 # DW_AT_high_pc
	.byte	2                               # DW_AT_call_file
	.byte	136                             # DW_AT_call_line
	.byte	10                              # DW_AT_call_column
	.byte	26                              # Abbrev [26] 0xb51:0x9 DW_TAG_variable
	.byte	3                               # DW_AT_location
	.byte	141
	.ascii	"\214\007"
	.4byte	511                             # DW_AT_abstract_origin
	.byte	0                               # End Of Children Mark
	.byte	25                              # Abbrev [25] 0xb5b:0x1a DW_TAG_inlined_subroutine
	.4byte	499                             # DW_AT_abstract_origin
	.4byte	$tmp112                         # DW_AT_low_pc
	.4byte	$tmp113-$tmp112                 # DW_AT_high_pc
	.byte	2                               # DW_AT_call_file
	.byte	136                             # DW_AT_call_line
	.byte	41                              # DW_AT_call_column
	.byte	26                              # Abbrev [26] 0xb6b:0x9 DW_TAG_variable
	.byte	3                               # DW_AT_location
	.byte	141
	.ascii	"\210\007"
	.4byte	511                             # DW_AT_abstract_origin
	.byte	0                               # End Of Children Mark
	.byte	25                              # Abbrev [25] 0xb75:0x1a DW_TAG_inlined_subroutine
	.4byte	499                             # DW_AT_abstract_origin
	.4byte	$tmp114                         # DW_AT_low_pc
	.4byte	$tmp115-$tmp114                 # DW_AT_high_pc
	.byte	2                               # DW_AT_call_file
	.byte	136                             # DW_AT_call_line
	.byte	72                              # DW_AT_call_column
	.byte	26                              # Abbrev [26] 0xb85:0x9 DW_TAG_variable
	.byte	3                               # DW_AT_location
	.byte	141
	.ascii	"\204\007"
	.4byte	511                             # DW_AT_abstract_origin
	.byte	0                               # End Of Children Mark
	.byte	25                              # Abbrev [25] 0xb8f:0x1a DW_TAG_inlined_subroutine
	.4byte	499                             # DW_AT_abstract_origin
	.4byte	$tmp116                         # DW_AT_low_pc
	.4byte	$tmp117-$tmp116                 # DW_AT_high_pc
	.byte	2                               # DW_AT_call_file
	.byte	136                             # DW_AT_call_line
	.byte	92                              # DW_AT_call_column
	.byte	26                              # Abbrev [26] 0xb9f:0x9 DW_TAG_variable
	.byte	3                               # DW_AT_location
	.byte	141
	.ascii	"\200\007"
	.4byte	511                             # DW_AT_abstract_origin
	.byte	0                               # End Of Children Mark
	.byte	13                              # Abbrev [13] 0xba9:0x19 DW_TAG_lexical_block
	.4byte	$tmp118                         # DW_AT_low_pc
	.4byte	$tmp122-$tmp118                 # DW_AT_high_pc
	.byte	12                              # Abbrev [12] 0xbb2:0xf DW_TAG_variable
	.byte	3                               # DW_AT_location
	.byte	141
	.ascii	"\370\005"
	.4byte	$info_string149                 # DW_AT_name
	.byte	2                               # DW_AT_decl_file
	.byte	138                             # DW_AT_decl_line
	.4byte	60                              # DW_AT_type
	.byte	0                               # End Of Children Mark
	.byte	0                               # End Of Children Mark
	.byte	28                              # Abbrev [28] 0xbc3:0x24 DW_TAG_subprogram
	.4byte	$func_begin7                    # DW_AT_low_pc
	.4byte	$func_end7-$func_begin7         # DW_AT_high_pc
	.byte	1                               # DW_AT_frame_base
	.byte	110
	.4byte	$info_string121                 # DW_AT_name
	.byte	8                               # DW_AT_decl_file
	.byte	141                             # DW_AT_decl_line
                                        # DW_AT_prototyped
	.4byte	60                              # DW_AT_type
	.byte	12                              # Abbrev [12] 0xbd8:0xe DW_TAG_variable
	.byte	2                               # DW_AT_location
	.byte	141
	.byte	4
	.4byte	$info_string146                 # DW_AT_name
	.byte	8                               # DW_AT_decl_file
	.byte	143                             # DW_AT_decl_line
	.4byte	60                              # DW_AT_type
	.byte	0                               # End Of Children Mark
	.byte	24                              # Abbrev [24] 0xbe7:0x4e DW_TAG_subprogram
	.4byte	$func_begin8                    # DW_AT_low_pc
	.4byte	$func_end8-$func_begin8         # DW_AT_high_pc
	.byte	1                               # DW_AT_frame_base
	.byte	110
	.4byte	$info_string122                 # DW_AT_name
	.byte	2                               # DW_AT_decl_file
	.byte	142                             # DW_AT_decl_line
                                        # DW_AT_prototyped
	.byte	11                              # Abbrev [11] 0xbf8:0xf DW_TAG_formal_parameter
	.byte	3                               # DW_AT_location
	.byte	141
	.asciz	"\334"
	.4byte	$info_string150                 # DW_AT_name
	.byte	2                               # DW_AT_decl_file
	.byte	142                             # DW_AT_decl_line
	.4byte	269                             # DW_AT_type
	.byte	11                              # Abbrev [11] 0xc07:0xf DW_TAG_formal_parameter
	.byte	3                               # DW_AT_location
	.byte	141
	.asciz	"\330"
	.4byte	$info_string7                   # DW_AT_name
	.byte	2                               # DW_AT_decl_file
	.byte	142                             # DW_AT_decl_line
	.4byte	60                              # DW_AT_type
	.byte	11                              # Abbrev [11] 0xc16:0xf DW_TAG_formal_parameter
	.byte	3                               # DW_AT_location
	.byte	141
	.asciz	"\324"
	.4byte	$info_string8                   # DW_AT_name
	.byte	2                               # DW_AT_decl_file
	.byte	142                             # DW_AT_decl_line
	.4byte	60                              # DW_AT_type
	.byte	11                              # Abbrev [11] 0xc25:0xf DW_TAG_formal_parameter
	.byte	3                               # DW_AT_location
	.byte	141
	.asciz	"\320"
	.4byte	$info_string11                  # DW_AT_name
	.byte	2                               # DW_AT_decl_file
	.byte	142                             # DW_AT_decl_line
	.4byte	4950                            # DW_AT_type
	.byte	0                               # End Of Children Mark
	.byte	27                              # Abbrev [27] 0xc35:0x11 DW_TAG_subprogram
	.4byte	$func_begin9                    # DW_AT_low_pc
	.4byte	$func_end9-$func_begin9         # DW_AT_high_pc
	.byte	1                               # DW_AT_frame_base
	.byte	110
	.4byte	$info_string123                 # DW_AT_name
	.byte	7                               # DW_AT_decl_file
	.byte	24                              # DW_AT_decl_line
                                        # DW_AT_prototyped
	.byte	28                              # Abbrev [28] 0xc46:0x4a DW_TAG_subprogram
	.4byte	$func_begin10                   # DW_AT_low_pc
	.4byte	$func_end10-$func_begin10       # DW_AT_high_pc
	.byte	1                               # DW_AT_frame_base
	.byte	110
	.4byte	$info_string124                 # DW_AT_name
	.byte	2                               # DW_AT_decl_file
	.byte	26                              # DW_AT_decl_line
                                        # DW_AT_prototyped
	.4byte	4926                            # DW_AT_type
	.byte	25                              # Abbrev [25] 0xc5b:0x1a DW_TAG_inlined_subroutine
	.4byte	499                             # DW_AT_abstract_origin
	.4byte	$tmp134                         # DW_AT_low_pc
	.4byte	$tmp135-$tmp134                 # DW_AT_high_pc
	.byte	2                               # DW_AT_call_file
	.byte	26                              # DW_AT_call_line
	.byte	50                              # DW_AT_call_column
	.byte	26                              # Abbrev [26] 0xc6b:0x9 DW_TAG_variable
	.byte	3                               # DW_AT_location
	.byte	141
	.asciz	"\324"
	.4byte	511                             # DW_AT_abstract_origin
	.byte	0                               # End Of Children Mark
	.byte	25                              # Abbrev [25] 0xc75:0x1a DW_TAG_inlined_subroutine
	.4byte	499                             # DW_AT_abstract_origin
	.4byte	$tmp136                         # DW_AT_low_pc
	.4byte	$tmp137-$tmp136                 # DW_AT_high_pc
	.byte	2                               # DW_AT_call_file
	.byte	26                              # DW_AT_call_line
	.byte	83                              # DW_AT_call_column
	.byte	26                              # Abbrev [26] 0xc85:0x9 DW_TAG_variable
	.byte	3                               # DW_AT_location
	.byte	141
	.asciz	"\320"
	.4byte	511                             # DW_AT_abstract_origin
	.byte	0                               # End Of Children Mark
	.byte	0                               # End Of Children Mark
	.byte	28                              # Abbrev [28] 0xc90:0x6a DW_TAG_subprogram
	.4byte	$func_begin11                   # DW_AT_low_pc
	.4byte	$func_end11-$func_begin11       # DW_AT_high_pc
	.byte	1                               # DW_AT_frame_base
	.byte	110
	.4byte	$info_string125                 # DW_AT_name
	.byte	9                               # DW_AT_decl_file
	.byte	27                              # DW_AT_decl_line
                                        # DW_AT_prototyped
	.4byte	60                              # DW_AT_type
	.byte	11                              # Abbrev [11] 0xca5:0xe DW_TAG_formal_parameter
	.byte	2                               # DW_AT_location
	.byte	141
	.byte	56
	.4byte	$info_string83                  # DW_AT_name
	.byte	9                               # DW_AT_decl_file
	.byte	27                              # DW_AT_decl_line
	.4byte	4950                            # DW_AT_type
	.byte	11                              # Abbrev [11] 0xcb3:0xe DW_TAG_formal_parameter
	.byte	2                               # DW_AT_location
	.byte	141
	.byte	52
	.4byte	$info_string151                 # DW_AT_name
	.byte	9                               # DW_AT_decl_file
	.byte	27                              # DW_AT_decl_line
	.4byte	4955                            # DW_AT_type
	.byte	11                              # Abbrev [11] 0xcc1:0xe DW_TAG_formal_parameter
	.byte	2                               # DW_AT_location
	.byte	141
	.byte	48
	.4byte	$info_string152                 # DW_AT_name
	.byte	9                               # DW_AT_decl_file
	.byte	27                              # DW_AT_decl_line
	.4byte	60                              # DW_AT_type
	.byte	11                              # Abbrev [11] 0xccf:0xe DW_TAG_formal_parameter
	.byte	2                               # DW_AT_location
	.byte	141
	.byte	44
	.4byte	$info_string106                 # DW_AT_name
	.byte	9                               # DW_AT_decl_file
	.byte	27                              # DW_AT_decl_line
	.4byte	4965                            # DW_AT_type
	.byte	12                              # Abbrev [12] 0xcdd:0xe DW_TAG_variable
	.byte	2                               # DW_AT_location
	.byte	141
	.byte	40
	.4byte	$info_string147                 # DW_AT_name
	.byte	9                               # DW_AT_decl_file
	.byte	29                              # DW_AT_decl_line
	.4byte	60                              # DW_AT_type
	.byte	12                              # Abbrev [12] 0xceb:0xe DW_TAG_variable
	.byte	2                               # DW_AT_location
	.byte	141
	.byte	36
	.4byte	$info_string146                 # DW_AT_name
	.byte	9                               # DW_AT_decl_file
	.byte	30                              # DW_AT_decl_line
	.4byte	60                              # DW_AT_type
	.byte	0                               # End Of Children Mark
	.byte	28                              # Abbrev [28] 0xcfa:0x48 DW_TAG_subprogram
	.4byte	$func_begin12                   # DW_AT_low_pc
	.4byte	$func_end12-$func_begin12       # DW_AT_high_pc
	.byte	1                               # DW_AT_frame_base
	.byte	110
	.4byte	$info_string126                 # DW_AT_name
	.byte	2                               # DW_AT_decl_file
	.byte	29                              # DW_AT_decl_line
                                        # DW_AT_prototyped
	.4byte	4926                            # DW_AT_type
	.byte	25                              # Abbrev [25] 0xd0f:0x19 DW_TAG_inlined_subroutine
	.4byte	499                             # DW_AT_abstract_origin
	.4byte	$tmp146                         # DW_AT_low_pc
	.4byte	$tmp147-$tmp146                 # DW_AT_high_pc
	.byte	2                               # DW_AT_call_file
	.byte	29                              # DW_AT_call_line
	.byte	72                              # DW_AT_call_column
	.byte	26                              # Abbrev [26] 0xd1f:0x8 DW_TAG_variable
	.byte	2                               # DW_AT_location
	.byte	141
	.byte	60
	.4byte	511                             # DW_AT_abstract_origin
	.byte	0                               # End Of Children Mark
	.byte	25                              # Abbrev [25] 0xd28:0x19 DW_TAG_inlined_subroutine
	.4byte	499                             # DW_AT_abstract_origin
	.4byte	$tmp148                         # DW_AT_low_pc
	.4byte	$tmp149-$tmp148                 # DW_AT_high_pc
	.byte	2                               # DW_AT_call_file
	.byte	29                              # DW_AT_call_line
	.byte	93                              # DW_AT_call_column
	.byte	26                              # Abbrev [26] 0xd38:0x8 DW_TAG_variable
	.byte	2                               # DW_AT_location
	.byte	141
	.byte	56
	.4byte	511                             # DW_AT_abstract_origin
	.byte	0                               # End Of Children Mark
	.byte	0                               # End Of Children Mark
	.byte	28                              # Abbrev [28] 0xd42:0x7e DW_TAG_subprogram
	.4byte	$func_begin13                   # DW_AT_low_pc
	.4byte	$func_end13-$func_begin13       # DW_AT_high_pc
	.byte	1                               # DW_AT_frame_base
	.byte	110
	.4byte	$info_string127                 # DW_AT_name
	.byte	2                               # DW_AT_decl_file
	.byte	56                              # DW_AT_decl_line
                                        # DW_AT_prototyped
	.4byte	4926                            # DW_AT_type
	.byte	25                              # Abbrev [25] 0xd57:0x1a DW_TAG_inlined_subroutine
	.4byte	499                             # DW_AT_abstract_origin
	.4byte	$tmp152                         # DW_AT_low_pc
	.4byte	$tmp153-$tmp152                 # DW_AT_high_pc
	.byte	2                               # DW_AT_call_file
	.byte	58                              # DW_AT_call_line
	.byte	12                              # DW_AT_call_column
	.byte	26                              # Abbrev [26] 0xd67:0x9 DW_TAG_variable
	.byte	3                               # DW_AT_location
	.byte	141
	.asciz	"\374"
	.4byte	511                             # DW_AT_abstract_origin
	.byte	0                               # End Of Children Mark
	.byte	25                              # Abbrev [25] 0xd71:0x1a DW_TAG_inlined_subroutine
	.4byte	499                             # DW_AT_abstract_origin
	.4byte	$tmp154                         # DW_AT_low_pc
	.4byte	$tmp155-$tmp154                 # DW_AT_high_pc
	.byte	2                               # DW_AT_call_file
	.byte	58                              # DW_AT_call_line
	.byte	36                              # DW_AT_call_column
	.byte	26                              # Abbrev [26] 0xd81:0x9 DW_TAG_variable
	.byte	3                               # DW_AT_location
	.byte	141
	.asciz	"\370"
	.4byte	511                             # DW_AT_abstract_origin
	.byte	0                               # End Of Children Mark
	.byte	25                              # Abbrev [25] 0xd8b:0x1a DW_TAG_inlined_subroutine
	.4byte	499                             # DW_AT_abstract_origin
	.4byte	$tmp156                         # DW_AT_low_pc
	.4byte	$tmp157-$tmp156                 # DW_AT_high_pc
	.byte	2                               # DW_AT_call_file
	.byte	59                              # DW_AT_call_line
	.byte	12                              # DW_AT_call_column
	.byte	26                              # Abbrev [26] 0xd9b:0x9 DW_TAG_variable
	.byte	3                               # DW_AT_location
	.byte	141
	.asciz	"\364"
	.4byte	511                             # DW_AT_abstract_origin
	.byte	0                               # End Of Children Mark
	.byte	25                              # Abbrev [25] 0xda5:0x1a DW_TAG_inlined_subroutine
	.4byte	499                             # DW_AT_abstract_origin
	.4byte	$tmp158                         # DW_AT_low_pc
	.4byte	$tmp159-$tmp158                 # DW_AT_high_pc
	.byte	2                               # DW_AT_call_file
	.byte	59                              # DW_AT_call_line
	.byte	34                              # DW_AT_call_column
	.byte	26                              # Abbrev [26] 0xdb5:0x9 DW_TAG_variable
	.byte	3                               # DW_AT_location
	.byte	141
	.asciz	"\360"
	.4byte	511                             # DW_AT_abstract_origin
	.byte	0                               # End Of Children Mark
	.byte	0                               # End Of Children Mark
	.byte	28                              # Abbrev [28] 0xdc0:0x2f DW_TAG_subprogram
	.4byte	$func_begin14                   # DW_AT_low_pc
	.4byte	$func_end14-$func_begin14       # DW_AT_high_pc
	.byte	1                               # DW_AT_frame_base
	.byte	110
	.4byte	$info_string128                 # DW_AT_name
	.byte	2                               # DW_AT_decl_file
	.byte	36                              # DW_AT_decl_line
                                        # DW_AT_prototyped
	.4byte	4926                            # DW_AT_type
	.byte	25                              # Abbrev [25] 0xdd5:0x19 DW_TAG_inlined_subroutine
	.4byte	499                             # DW_AT_abstract_origin
	.4byte	$tmp162                         # DW_AT_low_pc
	.4byte	$tmp163-$tmp162                 # DW_AT_high_pc
	.byte	2                               # DW_AT_call_file
	.byte	36                              # DW_AT_call_line
	.byte	75                              # DW_AT_call_column
	.byte	26                              # Abbrev [26] 0xde5:0x8 DW_TAG_variable
	.byte	2                               # DW_AT_location
	.byte	141
	.byte	36
	.4byte	511                             # DW_AT_abstract_origin
	.byte	0                               # End Of Children Mark
	.byte	0                               # End Of Children Mark
	.byte	28                              # Abbrev [28] 0xdef:0x4a DW_TAG_subprogram
	.4byte	$func_begin15                   # DW_AT_low_pc
	.4byte	$func_end15-$func_begin15       # DW_AT_high_pc
	.byte	1                               # DW_AT_frame_base
	.byte	110
	.4byte	$info_string129                 # DW_AT_name
	.byte	2                               # DW_AT_decl_file
	.byte	30                              # DW_AT_decl_line
                                        # DW_AT_prototyped
	.4byte	4926                            # DW_AT_type
	.byte	25                              # Abbrev [25] 0xe04:0x1a DW_TAG_inlined_subroutine
	.4byte	499                             # DW_AT_abstract_origin
	.4byte	$tmp166                         # DW_AT_low_pc
	.4byte	$tmp167-$tmp166                 # DW_AT_high_pc
	.byte	2                               # DW_AT_call_file
	.byte	30                              # DW_AT_call_line
	.byte	60                              # DW_AT_call_column
	.byte	26                              # Abbrev [26] 0xe14:0x9 DW_TAG_variable
	.byte	3                               # DW_AT_location
	.byte	141
	.asciz	"\304"
	.4byte	511                             # DW_AT_abstract_origin
	.byte	0                               # End Of Children Mark
	.byte	25                              # Abbrev [25] 0xe1e:0x1a DW_TAG_inlined_subroutine
	.4byte	499                             # DW_AT_abstract_origin
	.4byte	$tmp168                         # DW_AT_low_pc
	.4byte	$tmp169-$tmp168                 # DW_AT_high_pc
	.byte	2                               # DW_AT_call_file
	.byte	30                              # DW_AT_call_line
	.byte	97                              # DW_AT_call_column
	.byte	26                              # Abbrev [26] 0xe2e:0x9 DW_TAG_variable
	.byte	3                               # DW_AT_location
	.byte	141
	.asciz	"\300"
	.4byte	511                             # DW_AT_abstract_origin
	.byte	0                               # End Of Children Mark
	.byte	0                               # End Of Children Mark
	.byte	28                              # Abbrev [28] 0xe39:0xc5 DW_TAG_subprogram
	.4byte	$func_begin16                   # DW_AT_low_pc
	.4byte	$func_end16-$func_begin16       # DW_AT_high_pc
	.byte	1                               # DW_AT_frame_base
	.byte	110
	.4byte	$info_string130                 # DW_AT_name
	.byte	2                               # DW_AT_decl_file
	.byte	39                              # DW_AT_decl_line
                                        # DW_AT_prototyped
	.4byte	4926                            # DW_AT_type
	.byte	12                              # Abbrev [12] 0xe4e:0xf DW_TAG_variable
	.byte	3                               # DW_AT_location
	.byte	141
	.ascii	"\210\001"
	.4byte	$info_string147                 # DW_AT_name
	.byte	2                               # DW_AT_decl_file
	.byte	41                              # DW_AT_decl_line
	.4byte	60                              # DW_AT_type
	.byte	12                              # Abbrev [12] 0xe5d:0xf DW_TAG_variable
	.byte	3                               # DW_AT_location
	.byte	141
	.ascii	"\204\001"
	.4byte	$info_string153                 # DW_AT_name
	.byte	2                               # DW_AT_decl_file
	.byte	42                              # DW_AT_decl_line
	.4byte	60                              # DW_AT_type
	.byte	12                              # Abbrev [12] 0xe6c:0xf DW_TAG_variable
	.byte	3                               # DW_AT_location
	.byte	141
	.ascii	"\200\001"
	.4byte	$info_string154                 # DW_AT_name
	.byte	2                               # DW_AT_decl_file
	.byte	43                              # DW_AT_decl_line
	.4byte	60                              # DW_AT_type
	.byte	25                              # Abbrev [25] 0xe7b:0x1a DW_TAG_inlined_subroutine
	.4byte	499                             # DW_AT_abstract_origin
	.4byte	$tmp172                         # DW_AT_low_pc
	.4byte	$tmp173-$tmp172                 # DW_AT_high_pc
	.byte	2                               # DW_AT_call_file
	.byte	41                              # DW_AT_call_line
	.byte	22                              # DW_AT_call_column
	.byte	26                              # Abbrev [26] 0xe8b:0x9 DW_TAG_variable
	.byte	3                               # DW_AT_location
	.byte	141
	.ascii	"\234\001"
	.4byte	511                             # DW_AT_abstract_origin
	.byte	0                               # End Of Children Mark
	.byte	25                              # Abbrev [25] 0xe95:0x1a DW_TAG_inlined_subroutine
	.4byte	499                             # DW_AT_abstract_origin
	.4byte	$tmp174                         # DW_AT_low_pc
	.4byte	$tmp175-$tmp174                 # DW_AT_high_pc
	.byte	2                               # DW_AT_call_file
	.byte	42                              # DW_AT_call_line
	.byte	25                              # DW_AT_call_column
	.byte	26                              # Abbrev [26] 0xea5:0x9 DW_TAG_variable
	.byte	3                               # DW_AT_location
	.byte	141
	.ascii	"\230\001"
	.4byte	511                             # DW_AT_abstract_origin
	.byte	0                               # End Of Children Mark
	.byte	25                              # Abbrev [25] 0xeaf:0x1a DW_TAG_inlined_subroutine
	.4byte	499                             # DW_AT_abstract_origin
	.4byte	$tmp176                         # DW_AT_low_pc
	.4byte	$tmp177-$tmp176                 # DW_AT_high_pc
	.byte	2                               # DW_AT_call_file
	.byte	43                              # DW_AT_call_line
	.byte	41                              # DW_AT_call_column
	.byte	26                              # Abbrev [26] 0xebf:0x9 DW_TAG_variable
	.byte	3                               # DW_AT_location
	.byte	141
	.ascii	"\224\001"
	.4byte	511                             # DW_AT_abstract_origin
	.byte	0                               # End Of Children Mark
	.byte	25                              # Abbrev [25] 0xec9:0x1a DW_TAG_inlined_subroutine
	.4byte	499                             # DW_AT_abstract_origin
	.4byte	$tmp178                         # DW_AT_low_pc
	.4byte	$tmp179-$tmp178                 # DW_AT_high_pc
	.byte	2                               # DW_AT_call_file
	.byte	45                              # DW_AT_call_line
	.byte	12                              # DW_AT_call_column
	.byte	26                              # Abbrev [26] 0xed9:0x9 DW_TAG_variable
	.byte	3                               # DW_AT_location
	.byte	141
	.ascii	"\220\001"
	.4byte	511                             # DW_AT_abstract_origin
	.byte	0                               # End Of Children Mark
	.byte	25                              # Abbrev [25] 0xee3:0x1a DW_TAG_inlined_subroutine
	.4byte	499                             # DW_AT_abstract_origin
	.4byte	$tmp180                         # DW_AT_low_pc
	.4byte	$tmp181-$tmp180                 # DW_AT_high_pc
	.byte	2                               # DW_AT_call_file
	.byte	45                              # DW_AT_call_line
	.byte	33                              # DW_AT_call_column
	.byte	26                              # Abbrev [26] 0xef3:0x9 DW_TAG_variable
	.byte	3                               # DW_AT_location
	.byte	141
	.ascii	"\214\001"
	.4byte	511                             # DW_AT_abstract_origin
	.byte	0                               # End Of Children Mark
	.byte	0                               # End Of Children Mark
	.byte	28                              # Abbrev [28] 0xefe:0x104 DW_TAG_subprogram
	.4byte	$func_begin17                   # DW_AT_low_pc
	.4byte	$func_end17-$func_begin17       # DW_AT_high_pc
	.byte	1                               # DW_AT_frame_base
	.byte	110
	.4byte	$info_string131                 # DW_AT_name
	.byte	10                              # DW_AT_decl_file
	.byte	11                              # DW_AT_decl_line
                                        # DW_AT_prototyped
	.4byte	4926                            # DW_AT_type
	.byte	12                              # Abbrev [12] 0xf13:0xf DW_TAG_variable
	.byte	3                               # DW_AT_location
	.byte	141
	.ascii	"\340\001"
	.4byte	$info_string155                 # DW_AT_name
	.byte	10                              # DW_AT_decl_file
	.byte	13                              # DW_AT_decl_line
	.4byte	60                              # DW_AT_type
	.byte	12                              # Abbrev [12] 0xf22:0xf DW_TAG_variable
	.byte	3                               # DW_AT_location
	.byte	141
	.ascii	"\334\001"
	.4byte	$info_string156                 # DW_AT_name
	.byte	10                              # DW_AT_decl_file
	.byte	14                              # DW_AT_decl_line
	.4byte	60                              # DW_AT_type
	.byte	25                              # Abbrev [25] 0xf31:0x1a DW_TAG_inlined_subroutine
	.4byte	499                             # DW_AT_abstract_origin
	.4byte	$tmp184                         # DW_AT_low_pc
	.4byte	$tmp185-$tmp184                 # DW_AT_high_pc
	.byte	10                              # DW_AT_call_file
	.byte	13                              # DW_AT_call_line
	.byte	21                              # DW_AT_call_column
	.byte	26                              # Abbrev [26] 0xf41:0x9 DW_TAG_variable
	.byte	3                               # DW_AT_location
	.byte	141
	.ascii	"\204\002"
	.4byte	511                             # DW_AT_abstract_origin
	.byte	0                               # End Of Children Mark
	.byte	25                              # Abbrev [25] 0xf4b:0x1a DW_TAG_inlined_subroutine
	.4byte	499                             # DW_AT_abstract_origin
	.4byte	$tmp186                         # DW_AT_low_pc
	.4byte	$tmp187-$tmp186                 # DW_AT_high_pc
	.byte	10                              # DW_AT_call_file
	.byte	13                              # DW_AT_call_line
	.byte	45                              # DW_AT_call_column
	.byte	26                              # Abbrev [26] 0xf5b:0x9 DW_TAG_variable
	.byte	3                               # DW_AT_location
	.byte	141
	.ascii	"\200\002"
	.4byte	511                             # DW_AT_abstract_origin
	.byte	0                               # End Of Children Mark
	.byte	25                              # Abbrev [25] 0xf65:0x1a DW_TAG_inlined_subroutine
	.4byte	499                             # DW_AT_abstract_origin
	.4byte	$tmp188                         # DW_AT_low_pc
	.4byte	$tmp189-$tmp188                 # DW_AT_high_pc
	.byte	10                              # DW_AT_call_file
	.byte	14                              # DW_AT_call_line
	.byte	25                              # DW_AT_call_column
	.byte	26                              # Abbrev [26] 0xf75:0x9 DW_TAG_variable
	.byte	3                               # DW_AT_location
	.byte	141
	.ascii	"\374\001"
	.4byte	511                             # DW_AT_abstract_origin
	.byte	0                               # End Of Children Mark
	.byte	25                              # Abbrev [25] 0xf7f:0x1a DW_TAG_inlined_subroutine
	.4byte	499                             # DW_AT_abstract_origin
	.4byte	$tmp190                         # DW_AT_low_pc
	.4byte	$tmp191-$tmp190                 # DW_AT_high_pc
	.byte	10                              # DW_AT_call_file
	.byte	14                              # DW_AT_call_line
	.byte	49                              # DW_AT_call_column
	.byte	26                              # Abbrev [26] 0xf8f:0x9 DW_TAG_variable
	.byte	3                               # DW_AT_location
	.byte	141
	.ascii	"\370\001"
	.4byte	511                             # DW_AT_abstract_origin
	.byte	0                               # End Of Children Mark
	.byte	25                              # Abbrev [25] 0xf99:0x1a DW_TAG_inlined_subroutine
	.4byte	499                             # DW_AT_abstract_origin
	.4byte	$tmp192                         # DW_AT_low_pc
	.4byte	$tmp193-$tmp192                 # DW_AT_high_pc
	.byte	10                              # DW_AT_call_file
	.byte	15                              # DW_AT_call_line
	.byte	9                               # DW_AT_call_column
	.byte	26                              # Abbrev [26] 0xfa9:0x9 DW_TAG_variable
	.byte	3                               # DW_AT_location
	.byte	141
	.ascii	"\364\001"
	.4byte	511                             # DW_AT_abstract_origin
	.byte	0                               # End Of Children Mark
	.byte	25                              # Abbrev [25] 0xfb3:0x1a DW_TAG_inlined_subroutine
	.4byte	499                             # DW_AT_abstract_origin
	.4byte	$tmp195                         # DW_AT_low_pc
	.4byte	$tmp196-$tmp195                 # DW_AT_high_pc
	.byte	10                              # DW_AT_call_file
	.byte	17                              # DW_AT_call_line
	.byte	20                              # DW_AT_call_column
	.byte	26                              # Abbrev [26] 0xfc3:0x9 DW_TAG_variable
	.byte	3                               # DW_AT_location
	.byte	141
	.ascii	"\360\001"
	.4byte	511                             # DW_AT_abstract_origin
	.byte	0                               # End Of Children Mark
	.byte	25                              # Abbrev [25] 0xfcd:0x1a DW_TAG_inlined_subroutine
	.4byte	499                             # DW_AT_abstract_origin
	.4byte	$tmp197                         # DW_AT_low_pc
	.4byte	$tmp198-$tmp197                 # DW_AT_high_pc
	.byte	10                              # DW_AT_call_file
	.byte	17                              # DW_AT_call_line
	.byte	65                              # DW_AT_call_column
	.byte	26                              # Abbrev [26] 0xfdd:0x9 DW_TAG_variable
	.byte	3                               # DW_AT_location
	.byte	141
	.ascii	"\354\001"
	.4byte	511                             # DW_AT_abstract_origin
	.byte	0                               # End Of Children Mark
	.byte	25                              # Abbrev [25] 0xfe7:0x1a DW_TAG_inlined_subroutine
	.4byte	499                             # DW_AT_abstract_origin
	.4byte	$tmp199                         # DW_AT_low_pc
	.4byte	$tmp200-$tmp199                 # DW_AT_high_pc
	.byte	10                              # DW_AT_call_file
	.byte	18                              # DW_AT_call_line
	.byte	38                              # DW_AT_call_column
	.byte	26                              # Abbrev [26] 0xff7:0x9 DW_TAG_variable
	.byte	3                               # DW_AT_location
	.byte	141
	.ascii	"\350\001"
	.4byte	511                             # DW_AT_abstract_origin
	.byte	0                               # End Of Children Mark
	.byte	0                               # End Of Children Mark
	.byte	28                              # Abbrev [28] 0x1002:0x32 DW_TAG_subprogram
	.4byte	$func_begin18                   # DW_AT_low_pc
	.4byte	$func_end18-$func_begin18       # DW_AT_high_pc
	.byte	1                               # DW_AT_frame_base
	.byte	110
	.4byte	$info_string132                 # DW_AT_name
	.byte	8                               # DW_AT_decl_file
	.byte	17                              # DW_AT_decl_line
                                        # DW_AT_prototyped
	.4byte	60                              # DW_AT_type
	.byte	11                              # Abbrev [11] 0x1017:0xe DW_TAG_formal_parameter
	.byte	2                               # DW_AT_location
	.byte	141
	.byte	12
	.4byte	$info_string30                  # DW_AT_name
	.byte	8                               # DW_AT_decl_file
	.byte	17                              # DW_AT_decl_line
	.4byte	4955                            # DW_AT_type
	.byte	12                              # Abbrev [12] 0x1025:0xe DW_TAG_variable
	.byte	2                               # DW_AT_location
	.byte	141
	.byte	8
	.4byte	$info_string157                 # DW_AT_name
	.byte	8                               # DW_AT_decl_file
	.byte	19                              # DW_AT_decl_line
	.4byte	60                              # DW_AT_type
	.byte	0                               # End Of Children Mark
	.byte	28                              # Abbrev [28] 0x1034:0x32 DW_TAG_subprogram
	.4byte	$func_begin19                   # DW_AT_low_pc
	.4byte	$func_end19-$func_begin19       # DW_AT_high_pc
	.byte	1                               # DW_AT_frame_base
	.byte	110
	.4byte	$info_string133                 # DW_AT_name
	.byte	8                               # DW_AT_decl_file
	.byte	25                              # DW_AT_decl_line
                                        # DW_AT_prototyped
	.4byte	4926                            # DW_AT_type
	.byte	11                              # Abbrev [11] 0x1049:0xe DW_TAG_formal_parameter
	.byte	2                               # DW_AT_location
	.byte	141
	.byte	12
	.4byte	$info_string30                  # DW_AT_name
	.byte	8                               # DW_AT_decl_file
	.byte	25                              # DW_AT_decl_line
	.4byte	4950                            # DW_AT_type
	.byte	11                              # Abbrev [11] 0x1057:0xe DW_TAG_formal_parameter
	.byte	2                               # DW_AT_location
	.byte	141
	.byte	8
	.4byte	$info_string157                 # DW_AT_name
	.byte	8                               # DW_AT_decl_file
	.byte	25                              # DW_AT_decl_line
	.4byte	60                              # DW_AT_type
	.byte	0                               # End Of Children Mark
	.byte	28                              # Abbrev [28] 0x1066:0x32 DW_TAG_subprogram
	.4byte	$func_begin20                   # DW_AT_low_pc
	.4byte	$func_end20-$func_begin20       # DW_AT_high_pc
	.byte	1                               # DW_AT_frame_base
	.byte	110
	.4byte	$info_string134                 # DW_AT_name
	.byte	11                              # DW_AT_decl_file
	.byte	46                              # DW_AT_decl_line
                                        # DW_AT_prototyped
	.4byte	4926                            # DW_AT_type
	.byte	11                              # Abbrev [11] 0x107b:0xe DW_TAG_formal_parameter
	.byte	2                               # DW_AT_location
	.byte	141
	.byte	36
	.4byte	$info_string84                  # DW_AT_name
	.byte	11                              # DW_AT_decl_file
	.byte	46                              # DW_AT_decl_line
	.4byte	4970                            # DW_AT_type
	.byte	11                              # Abbrev [11] 0x1089:0xe DW_TAG_formal_parameter
	.byte	2                               # DW_AT_location
	.byte	141
	.byte	32
	.4byte	$info_string158                 # DW_AT_name
	.byte	11                              # DW_AT_decl_file
	.byte	46                              # DW_AT_decl_line
	.4byte	60                              # DW_AT_type
	.byte	0                               # End Of Children Mark
	.byte	28                              # Abbrev [28] 0x1098:0x24 DW_TAG_subprogram
	.4byte	$func_begin21                   # DW_AT_low_pc
	.4byte	$func_end21-$func_begin21       # DW_AT_high_pc
	.byte	1                               # DW_AT_frame_base
	.byte	110
	.4byte	$info_string135                 # DW_AT_name
	.byte	12                              # DW_AT_decl_file
	.byte	67                              # DW_AT_decl_line
                                        # DW_AT_prototyped
	.4byte	4926                            # DW_AT_type
	.byte	11                              # Abbrev [11] 0x10ad:0xe DW_TAG_formal_parameter
	.byte	2                               # DW_AT_location
	.byte	141
	.byte	44
	.4byte	$info_string159                 # DW_AT_name
	.byte	12                              # DW_AT_decl_file
	.byte	67                              # DW_AT_decl_line
	.4byte	4980                            # DW_AT_type
	.byte	0                               # End Of Children Mark
	.byte	28                              # Abbrev [28] 0x10bc:0x4a DW_TAG_subprogram
	.4byte	$func_begin22                   # DW_AT_low_pc
	.4byte	$func_end22-$func_begin22       # DW_AT_high_pc
	.byte	1                               # DW_AT_frame_base
	.byte	110
	.4byte	$info_string136                 # DW_AT_name
	.byte	2                               # DW_AT_decl_file
	.byte	28                              # DW_AT_decl_line
                                        # DW_AT_prototyped
	.4byte	4926                            # DW_AT_type
	.byte	25                              # Abbrev [25] 0x10d1:0x1a DW_TAG_inlined_subroutine
	.4byte	499                             # DW_AT_abstract_origin
	.4byte	$tmp215                         # DW_AT_low_pc
	.4byte	$tmp216-$tmp215                 # DW_AT_high_pc
	.byte	2                               # DW_AT_call_file
	.byte	28                              # DW_AT_call_line
	.byte	55                              # DW_AT_call_column
	.byte	26                              # Abbrev [26] 0x10e1:0x9 DW_TAG_variable
	.byte	3                               # DW_AT_location
	.byte	141
	.asciz	"\304"
	.4byte	511                             # DW_AT_abstract_origin
	.byte	0                               # End Of Children Mark
	.byte	25                              # Abbrev [25] 0x10eb:0x1a DW_TAG_inlined_subroutine
	.4byte	499                             # DW_AT_abstract_origin
	.4byte	$tmp217                         # DW_AT_low_pc
	.4byte	$tmp218-$tmp217                 # DW_AT_high_pc
	.byte	2                               # DW_AT_call_file
	.byte	28                              # DW_AT_call_line
	.byte	89                              # DW_AT_call_column
	.byte	26                              # Abbrev [26] 0x10fb:0x9 DW_TAG_variable
	.byte	3                               # DW_AT_location
	.byte	141
	.asciz	"\300"
	.4byte	511                             # DW_AT_abstract_origin
	.byte	0                               # End Of Children Mark
	.byte	0                               # End Of Children Mark
	.byte	28                              # Abbrev [28] 0x1106:0x2f DW_TAG_subprogram
	.4byte	$func_begin23                   # DW_AT_low_pc
	.4byte	$func_end23-$func_begin23       # DW_AT_high_pc
	.byte	1                               # DW_AT_frame_base
	.byte	110
	.4byte	$info_string137                 # DW_AT_name
	.byte	2                               # DW_AT_decl_file
	.byte	31                              # DW_AT_decl_line
                                        # DW_AT_prototyped
	.4byte	4926                            # DW_AT_type
	.byte	25                              # Abbrev [25] 0x111b:0x19 DW_TAG_inlined_subroutine
	.4byte	499                             # DW_AT_abstract_origin
	.4byte	$tmp221                         # DW_AT_low_pc
	.4byte	$tmp222-$tmp221                 # DW_AT_high_pc
	.byte	2                               # DW_AT_call_file
	.byte	31                              # DW_AT_call_line
	.byte	76                              # DW_AT_call_column
	.byte	26                              # Abbrev [26] 0x112b:0x8 DW_TAG_variable
	.byte	2                               # DW_AT_location
	.byte	141
	.byte	36
	.4byte	511                             # DW_AT_abstract_origin
	.byte	0                               # End Of Children Mark
	.byte	0                               # End Of Children Mark
	.byte	28                              # Abbrev [28] 0x1135:0x4a DW_TAG_subprogram
	.4byte	$func_begin24                   # DW_AT_low_pc
	.4byte	$func_end24-$func_begin24       # DW_AT_high_pc
	.byte	1                               # DW_AT_frame_base
	.byte	110
	.4byte	$info_string138                 # DW_AT_name
	.byte	2                               # DW_AT_decl_file
	.byte	27                              # DW_AT_decl_line
                                        # DW_AT_prototyped
	.4byte	4926                            # DW_AT_type
	.byte	25                              # Abbrev [25] 0x114a:0x1a DW_TAG_inlined_subroutine
	.4byte	499                             # DW_AT_abstract_origin
	.4byte	$tmp225                         # DW_AT_low_pc
	.4byte	$tmp226-$tmp225                 # DW_AT_high_pc
	.byte	2                               # DW_AT_call_file
	.byte	27                              # DW_AT_call_line
	.byte	51                              # DW_AT_call_column
	.byte	26                              # Abbrev [26] 0x115a:0x9 DW_TAG_variable
	.byte	3                               # DW_AT_location
	.byte	141
	.asciz	"\324"
	.4byte	511                             # DW_AT_abstract_origin
	.byte	0                               # End Of Children Mark
	.byte	25                              # Abbrev [25] 0x1164:0x1a DW_TAG_inlined_subroutine
	.4byte	499                             # DW_AT_abstract_origin
	.4byte	$tmp227                         # DW_AT_low_pc
	.4byte	$tmp228-$tmp227                 # DW_AT_high_pc
	.byte	2                               # DW_AT_call_file
	.byte	27                              # DW_AT_call_line
	.byte	85                              # DW_AT_call_column
	.byte	26                              # Abbrev [26] 0x1174:0x9 DW_TAG_variable
	.byte	3                               # DW_AT_location
	.byte	141
	.asciz	"\320"
	.4byte	511                             # DW_AT_abstract_origin
	.byte	0                               # End Of Children Mark
	.byte	0                               # End Of Children Mark
	.byte	28                              # Abbrev [28] 0x117f:0x64 DW_TAG_subprogram
	.4byte	$func_begin25                   # DW_AT_low_pc
	.4byte	$func_end25-$func_begin25       # DW_AT_high_pc
	.byte	1                               # DW_AT_frame_base
	.byte	110
	.4byte	$info_string139                 # DW_AT_name
	.byte	2                               # DW_AT_decl_file
	.byte	62                              # DW_AT_decl_line
                                        # DW_AT_prototyped
	.4byte	4926                            # DW_AT_type
	.byte	25                              # Abbrev [25] 0x1194:0x1a DW_TAG_inlined_subroutine
	.4byte	499                             # DW_AT_abstract_origin
	.4byte	$tmp231                         # DW_AT_low_pc
	.4byte	$tmp232-$tmp231                 # DW_AT_high_pc
	.byte	2                               # DW_AT_call_file
	.byte	64                              # DW_AT_call_line
	.byte	25                              # DW_AT_call_column
	.byte	26                              # Abbrev [26] 0x11a4:0x9 DW_TAG_variable
	.byte	3                               # DW_AT_location
	.byte	141
	.asciz	"\324"
	.4byte	511                             # DW_AT_abstract_origin
	.byte	0                               # End Of Children Mark
	.byte	25                              # Abbrev [25] 0x11ae:0x1a DW_TAG_inlined_subroutine
	.4byte	499                             # DW_AT_abstract_origin
	.4byte	$tmp233                         # DW_AT_low_pc
	.4byte	$tmp234-$tmp233                 # DW_AT_high_pc
	.byte	2                               # DW_AT_call_file
	.byte	64                              # DW_AT_call_line
	.byte	45                              # DW_AT_call_column
	.byte	26                              # Abbrev [26] 0x11be:0x9 DW_TAG_variable
	.byte	3                               # DW_AT_location
	.byte	141
	.asciz	"\320"
	.4byte	511                             # DW_AT_abstract_origin
	.byte	0                               # End Of Children Mark
	.byte	25                              # Abbrev [25] 0x11c8:0x1a DW_TAG_inlined_subroutine
	.4byte	499                             # DW_AT_abstract_origin
	.4byte	$tmp235                         # DW_AT_low_pc
	.4byte	$tmp236-$tmp235                 # DW_AT_high_pc
	.byte	2                               # DW_AT_call_file
	.byte	64                              # DW_AT_call_line
	.byte	88                              # DW_AT_call_column
	.byte	26                              # Abbrev [26] 0x11d8:0x9 DW_TAG_variable
	.byte	3                               # DW_AT_location
	.byte	141
	.asciz	"\314"
	.4byte	511                             # DW_AT_abstract_origin
	.byte	0                               # End Of Children Mark
	.byte	0                               # End Of Children Mark
	.byte	28                              # Abbrev [28] 0x11e3:0x91 DW_TAG_subprogram
	.4byte	$func_begin26                   # DW_AT_low_pc
	.4byte	$func_end26-$func_begin26       # DW_AT_high_pc
	.byte	1                               # DW_AT_frame_base
	.byte	110
	.4byte	$info_string140                 # DW_AT_name
	.byte	2                               # DW_AT_decl_file
	.byte	48                              # DW_AT_decl_line
                                        # DW_AT_prototyped
	.4byte	4926                            # DW_AT_type
	.byte	12                              # Abbrev [12] 0x11f8:0xf DW_TAG_variable
	.byte	3                               # DW_AT_location
	.byte	141
	.asciz	"\350"
	.4byte	$info_string147                 # DW_AT_name
	.byte	2                               # DW_AT_decl_file
	.byte	50                              # DW_AT_decl_line
	.4byte	60                              # DW_AT_type
	.byte	12                              # Abbrev [12] 0x1207:0xf DW_TAG_variable
	.byte	3                               # DW_AT_location
	.byte	141
	.asciz	"\344"
	.4byte	$info_string153                 # DW_AT_name
	.byte	2                               # DW_AT_decl_file
	.byte	51                              # DW_AT_decl_line
	.4byte	60                              # DW_AT_type
	.byte	12                              # Abbrev [12] 0x1216:0xf DW_TAG_variable
	.byte	3                               # DW_AT_location
	.byte	141
	.asciz	"\340"
	.4byte	$info_string154                 # DW_AT_name
	.byte	2                               # DW_AT_decl_file
	.byte	52                              # DW_AT_decl_line
	.4byte	60                              # DW_AT_type
	.byte	25                              # Abbrev [25] 0x1225:0x1a DW_TAG_inlined_subroutine
	.4byte	499                             # DW_AT_abstract_origin
	.4byte	$tmp239                         # DW_AT_low_pc
	.4byte	$tmp240-$tmp239                 # DW_AT_high_pc
	.byte	2                               # DW_AT_call_file
	.byte	50                              # DW_AT_call_line
	.byte	22                              # DW_AT_call_column
	.byte	26                              # Abbrev [26] 0x1235:0x9 DW_TAG_variable
	.byte	3                               # DW_AT_location
	.byte	141
	.asciz	"\364"
	.4byte	511                             # DW_AT_abstract_origin
	.byte	0                               # End Of Children Mark
	.byte	25                              # Abbrev [25] 0x123f:0x1a DW_TAG_inlined_subroutine
	.4byte	499                             # DW_AT_abstract_origin
	.4byte	$tmp241                         # DW_AT_low_pc
	.4byte	$tmp242-$tmp241                 # DW_AT_high_pc
	.byte	2                               # DW_AT_call_file
	.byte	51                              # DW_AT_call_line
	.byte	25                              # DW_AT_call_column
	.byte	26                              # Abbrev [26] 0x124f:0x9 DW_TAG_variable
	.byte	3                               # DW_AT_location
	.byte	141
	.asciz	"\360"
	.4byte	511                             # DW_AT_abstract_origin
	.byte	0                               # End Of Children Mark
	.byte	25                              # Abbrev [25] 0x1259:0x1a DW_TAG_inlined_subroutine
	.4byte	499                             # DW_AT_abstract_origin
	.4byte	$tmp243                         # DW_AT_low_pc
	.4byte	$tmp244-$tmp243                 # DW_AT_high_pc
	.byte	2                               # DW_AT_call_file
	.byte	52                              # DW_AT_call_line
	.byte	44                              # DW_AT_call_column
	.byte	26                              # Abbrev [26] 0x1269:0x9 DW_TAG_variable
	.byte	3                               # DW_AT_location
	.byte	141
	.asciz	"\354"
	.4byte	511                             # DW_AT_abstract_origin
	.byte	0                               # End Of Children Mark
	.byte	0                               # End Of Children Mark
	.byte	28                              # Abbrev [28] 0x1274:0x48 DW_TAG_subprogram
	.4byte	$func_begin27                   # DW_AT_low_pc
	.4byte	$func_end27-$func_begin27       # DW_AT_high_pc
	.byte	1                               # DW_AT_frame_base
	.byte	110
	.4byte	$info_string141                 # DW_AT_name
	.byte	13                              # DW_AT_decl_file
	.byte	15                              # DW_AT_decl_line
                                        # DW_AT_prototyped
	.4byte	4926                            # DW_AT_type
	.byte	25                              # Abbrev [25] 0x1289:0x19 DW_TAG_inlined_subroutine
	.4byte	499                             # DW_AT_abstract_origin
	.4byte	$tmp247                         # DW_AT_low_pc
	.4byte	$tmp248-$tmp247                 # DW_AT_high_pc
	.byte	13                              # DW_AT_call_file
	.byte	15                              # DW_AT_call_line
	.byte	52                              # DW_AT_call_column
	.byte	26                              # Abbrev [26] 0x1299:0x8 DW_TAG_variable
	.byte	2                               # DW_AT_location
	.byte	141
	.byte	60
	.4byte	511                             # DW_AT_abstract_origin
	.byte	0                               # End Of Children Mark
	.byte	25                              # Abbrev [25] 0x12a2:0x19 DW_TAG_inlined_subroutine
	.4byte	499                             # DW_AT_abstract_origin
	.4byte	$tmp249                         # DW_AT_low_pc
	.4byte	$tmp250-$tmp249                 # DW_AT_high_pc
	.byte	13                              # DW_AT_call_file
	.byte	15                              # DW_AT_call_line
	.byte	73                              # DW_AT_call_column
	.byte	26                              # Abbrev [26] 0x12b2:0x8 DW_TAG_variable
	.byte	2                               # DW_AT_location
	.byte	141
	.byte	56
	.4byte	511                             # DW_AT_abstract_origin
	.byte	0                               # End Of Children Mark
	.byte	0                               # End Of Children Mark
	.byte	28                              # Abbrev [28] 0x12bc:0x82 DW_TAG_subprogram
	.4byte	$func_begin28                   # DW_AT_low_pc
	.4byte	$func_end28-$func_begin28       # DW_AT_high_pc
	.byte	1                               # DW_AT_frame_base
	.byte	110
	.4byte	$info_string142                 # DW_AT_name
	.byte	14                              # DW_AT_decl_file
	.byte	16                              # DW_AT_decl_line
                                        # DW_AT_prototyped
	.4byte	4926                            # DW_AT_type
	.byte	11                              # Abbrev [11] 0x12d1:0xf DW_TAG_formal_parameter
	.byte	3                               # DW_AT_location
	.byte	141
	.asciz	"\324"
	.4byte	$info_string160                 # DW_AT_name
	.byte	14                              # DW_AT_decl_file
	.byte	16                              # DW_AT_decl_line
	.4byte	60                              # DW_AT_type
	.byte	12                              # Abbrev [12] 0x12e0:0xf DW_TAG_variable
	.byte	3                               # DW_AT_location
	.byte	141
	.asciz	"\320"
	.4byte	$info_string161                 # DW_AT_name
	.byte	14                              # DW_AT_decl_file
	.byte	18                              # DW_AT_decl_line
	.4byte	60                              # DW_AT_type
	.byte	25                              # Abbrev [25] 0x12ef:0x1a DW_TAG_inlined_subroutine
	.4byte	499                             # DW_AT_abstract_origin
	.4byte	$tmp254                         # DW_AT_low_pc
	.4byte	$tmp255-$tmp254                 # DW_AT_high_pc
	.byte	14                              # DW_AT_call_file
	.byte	18                              # DW_AT_call_line
	.byte	36                              # DW_AT_call_column
	.byte	26                              # Abbrev [26] 0x12ff:0x9 DW_TAG_variable
	.byte	3                               # DW_AT_location
	.byte	141
	.asciz	"\344"
	.4byte	511                             # DW_AT_abstract_origin
	.byte	0                               # End Of Children Mark
	.byte	25                              # Abbrev [25] 0x1309:0x1a DW_TAG_inlined_subroutine
	.4byte	499                             # DW_AT_abstract_origin
	.4byte	$tmp258                         # DW_AT_low_pc
	.4byte	$tmp259-$tmp258                 # DW_AT_high_pc
	.byte	14                              # DW_AT_call_file
	.byte	21                              # DW_AT_call_line
	.byte	57                              # DW_AT_call_column
	.byte	26                              # Abbrev [26] 0x1319:0x9 DW_TAG_variable
	.byte	3                               # DW_AT_location
	.byte	141
	.asciz	"\340"
	.4byte	511                             # DW_AT_abstract_origin
	.byte	0                               # End Of Children Mark
	.byte	25                              # Abbrev [25] 0x1323:0x1a DW_TAG_inlined_subroutine
	.4byte	499                             # DW_AT_abstract_origin
	.4byte	$tmp260                         # DW_AT_low_pc
	.4byte	$tmp261-$tmp260                 # DW_AT_high_pc
	.byte	14                              # DW_AT_call_file
	.byte	21                              # DW_AT_call_line
	.byte	94                              # DW_AT_call_column
	.byte	26                              # Abbrev [26] 0x1333:0x9 DW_TAG_variable
	.byte	3                               # DW_AT_location
	.byte	141
	.asciz	"\334"
	.4byte	511                             # DW_AT_abstract_origin
	.byte	0                               # End Of Children Mark
	.byte	0                               # End Of Children Mark
	.byte	5                               # Abbrev [5] 0x133e:0x7 DW_TAG_base_type
	.4byte	$info_string117                 # DW_AT_name
	.byte	2                               # DW_AT_encoding
	.byte	1                               # DW_AT_byte_size
	.byte	6                               # Abbrev [6] 0x1345:0x5 DW_TAG_pointer_type
	.4byte	1072                            # DW_AT_type
	.byte	18                              # Abbrev [18] 0x134a:0xc DW_TAG_array_type
	.4byte	4950                            # DW_AT_type
	.byte	19                              # Abbrev [19] 0x134f:0x6 DW_TAG_subrange_type
	.4byte	1165                            # DW_AT_type
	.byte	31                              # DW_AT_count
	.byte	0                               # End Of Children Mark
	.byte	6                               # Abbrev [6] 0x1356:0x5 DW_TAG_pointer_type
	.4byte	55                              # DW_AT_type
	.byte	6                               # Abbrev [6] 0x135b:0x5 DW_TAG_pointer_type
	.4byte	4960                            # DW_AT_type
	.byte	29                              # Abbrev [29] 0x1360:0x5 DW_TAG_const_type
	.4byte	55                              # DW_AT_type
	.byte	6                               # Abbrev [6] 0x1365:0x5 DW_TAG_pointer_type
	.4byte	60                              # DW_AT_type
	.byte	6                               # Abbrev [6] 0x136a:0x5 DW_TAG_pointer_type
	.4byte	4975                            # DW_AT_type
	.byte	29                              # Abbrev [29] 0x136f:0x5 DW_TAG_const_type
	.4byte	1466                            # DW_AT_type
	.byte	6                               # Abbrev [6] 0x1374:0x5 DW_TAG_pointer_type
	.4byte	4985                            # DW_AT_type
	.byte	29                              # Abbrev [29] 0x1379:0x5 DW_TAG_const_type
	.4byte	1371                            # DW_AT_type
	.byte	0                               # End Of Children Mark
$debug_info_end0:
	.section	.debug_ranges,"",@0x7000001e
$debug_ranges0:
	.4byte	$func_begin0
	.4byte	$func_end2
	.4byte	$func_begin6
	.4byte	$func_end28
	.4byte	$func_begin3
	.4byte	$func_end3
	.4byte	$func_begin4
	.4byte	$func_end4
	.4byte	$func_begin5
	.4byte	$func_end5
	.4byte	0
	.4byte	0
	.section	.debug_str,"MS",@0x7000001e,1
$info_string0:
	.asciz	"clang version 22.1.8"          # string offset=0
$info_string1:
	.asciz	"firmware/tengig/main.c"        # string offset=21
$info_string2:
	.asciz	"/work/trees/house"             # string offset=44
$info_string3:
	.asciz	"is_initialised"                # string offset=62
$info_string4:
	.asciz	"unsigned int"                  # string offset=77
$info_string5:
	.asciz	"uint32_t"                      # string offset=90
$info_string6:
	.asciz	"ring"                          # string offset=99
$info_string7:
	.asciz	"base"                          # string offset=104
$info_string8:
	.asciz	"entries"                       # string offset=109
$info_string9:
	.asciz	"producer"                      # string offset=117
$info_string10:
	.asciz	"consumer"                      # string offset=126
$info_string11:
	.asciz	"progress"                      # string offset=135
$info_string12:
	.asciz	"control"                       # string offset=144
$info_string13:
	.asciz	"status"                        # string offset=152
$info_string14:
	.asciz	"ring_registers"                # string offset=159
$info_string15:
	.asciz	"reserved"                      # string offset=174
$info_string16:
	.asciz	"buffer_base"                   # string offset=183
$info_string17:
	.asciz	"buffer_size"                   # string offset=195
$info_string18:
	.asciz	"buffer_producer"               # string offset=207
$info_string19:
	.asciz	"buffer_consumer"               # string offset=223
$info_string20:
	.asciz	"dropped"                       # string offset=239
$info_string21:
	.asciz	"mac_receive_registers"         # string offset=247
$info_string22:
	.asciz	"uintptr_t"                     # string offset=269
$info_string23:
	.asciz	"host"                          # string offset=279
$info_string24:
	.asciz	"high"                          # string offset=284
$info_string25:
	.asciz	"low"                           # string offset=289
$info_string26:
	.asciz	"host_address"                  # string offset=293
$info_string27:
	.asciz	"local"                         # string offset=306
$info_string28:
	.asciz	"flags_length"                  # string offset=312
$info_string29:
	.asciz	"dma_descriptor"                # string offset=325
$info_string30:
	.asciz	"address"                       # string offset=340
$info_string31:
	.asciz	"status_length"                 # string offset=348
$info_string32:
	.asciz	"mac_descriptor"                # string offset=362
$info_string33:
	.asciz	"int"                           # string offset=377
$info_string34:
	.asciz	"int32_t"                       # string offset=381
$info_string35:
	.asciz	"shared_state"                  # string offset=389
$info_string36:
	.asciz	"mailboxes"                     # string offset=402
$info_string37:
	.asciz	"send_bd_produced"              # string offset=412
$info_string38:
	.asciz	"receive_bd_produced"           # string offset=429
$info_string39:
	.asciz	"dma_reads_done"                # string offset=449
$info_string40:
	.asciz	"dma_writes_done"               # string offset=464
$info_string41:
	.asciz	"frames_transmitted"            # string offset=480
$info_string42:
	.asciz	"frames_received"               # string offset=499
$info_string43:
	.asciz	"__ARRAY_SIZE_TYPE__"           # string offset=515
$info_string44:
	.asciz	"send"                          # string offset=535
$info_string45:
	.asciz	"host_ring"                     # string offset=540
$info_string46:
	.asciz	"receive"                       # string offset=550
$info_string47:
	.asciz	"returned"                      # string offset=558
$info_string48:
	.asciz	"ready"                         # string offset=567
$info_string49:
	.asciz	"first_index"                   # string offset=573
$info_string50:
	.asciz	"host_rings"                    # string offset=585
$info_string51:
	.asciz	"settings"                      # string offset=596
$info_string52:
	.asciz	"send_coalescing"               # string offset=605
$info_string53:
	.asciz	"receive_coalescing"            # string offset=621
$info_string54:
	.asciz	"timer_interval"                # string offset=640
$info_string55:
	.asciz	"cores"                         # string offset=655
$info_string56:
	.asciz	"fetch_lock"                    # string offset=661
$info_string57:
	.asciz	"held"                          # string offset=672
$info_string58:
	.asciz	"spin_lock_t"                   # string offset=677
$info_string59:
	.asciz	"send_bd_requested"             # string offset=689
$info_string60:
	.asciz	"fetch_batches"                 # string offset=707
$info_string61:
	.asciz	"fetch_batches_taken"           # string offset=721
$info_string62:
	.asciz	"send_bd_arrived"               # string offset=741
$info_string63:
	.asciz	"send_bd_claimed"               # string offset=757
$info_string64:
	.asciz	"commit_lock"                   # string offset=773
$info_string65:
	.asciz	"send_bd_committed"             # string offset=785
$info_string66:
	.asciz	"transmit_committed"            # string offset=803
$info_string67:
	.asciz	"transmit_lock"                 # string offset=822
$info_string68:
	.asciz	"transmit_retired"              # string offset=836
$info_string69:
	.asciz	"send_bd_consumed"              # string offset=853
$info_string70:
	.asciz	"receive_fetch_lock"            # string offset=870
$info_string71:
	.asciz	"receive_bd_requested"          # string offset=889
$info_string72:
	.asciz	"receive_bd_arrived"            # string offset=910
$info_string73:
	.asciz	"receive_claimed"               # string offset=929
$info_string74:
	.asciz	"return_lock"                   # string offset=945
$info_string75:
	.asciz	"receive_committed"             # string offset=957
$info_string76:
	.asciz	"receive_returned"              # string offset=975
$info_string77:
	.asciz	"receive_bd_freed"              # string offset=992
$info_string78:
	.asciz	"reads"                         # string offset=1009
$info_string79:
	.asciz	"lock"                          # string offset=1015
$info_string80:
	.asciz	"allocated"                     # string offset=1020
$info_string81:
	.asciz	"publish_lock"                  # string offset=1030
$info_string82:
	.asciz	"published"                     # string offset=1043
$info_string83:
	.asciz	"claimed"                       # string offset=1053
$info_string84:
	.asciz	"flags"                         # string offset=1061
$info_string85:
	.asciz	"unsigned char"                 # string offset=1067
$info_string86:
	.asciz	"uint8_t"                       # string offset=1081
$info_string87:
	.asciz	"done_flags_t"                  # string offset=1089
$info_string88:
	.asciz	"tags"                          # string offset=1102
$info_string89:
	.asciz	"dma_queue"                     # string offset=1107
$info_string90:
	.asciz	"writes"                        # string offset=1117
$info_string91:
	.asciz	"status_lock"                   # string offset=1124
$info_string92:
	.asciz	"status_send_told"              # string offset=1136
$info_string93:
	.asciz	"status_receive_told"           # string offset=1153
$info_string94:
	.asciz	"status_under_way"              # string offset=1173
$info_string95:
	.asciz	"timer_due"                     # string offset=1190
$info_string96:
	.asciz	"status_words"                  # string offset=1200
$info_string97:
	.asciz	"event_lock"                    # string offset=1213
$info_string98:
	.asciz	"events_added"                  # string offset=1224
$info_string99:
	.asciz	"events_taken"                  # string offset=1237
$info_string100:
	.asciz	"send_data_done"                # string offset=1250
$info_string101:
	.asciz	"received_done"                 # string offset=1265
$info_string102:
	.asciz	"fetch_batch_done"              # string offset=1279
$info_string103:
	.asciz	"fetch_batch_end"               # string offset=1296
$info_string104:
	.asciz	"events"                        # string offset=1312
$info_string105:
	.asciz	"type"                          # string offset=1319
$info_string106:
	.asciz	"start"                         # string offset=1324
$info_string107:
	.asciz	"end"                           # string offset=1330
$info_string108:
	.asciz	"event_t"                       # string offset=1334
$info_string109:
	.asciz	"pending_transmits"             # string offset=1342
$info_string110:
	.asciz	"transmit_bd_end"               # string offset=1360
$info_string111:
	.asciz	"received_end"                  # string offset=1376
$info_string112:
	.asciz	"state"                         # string offset=1389
$info_string113:
	.asciz	"core_main"                     # string offset=1395
$info_string114:
	.asciz	"initialise"                    # string offset=1405
$info_string115:
	.asciz	"spin_pause"                    # string offset=1416
$info_string116:
	.asciz	"send_pass"                     # string offset=1427
$info_string117:
	.asciz	"_Bool"                         # string offset=1437
$info_string118:
	.asciz	"receive_pass"                  # string offset=1443
$info_string119:
	.asciz	"wait_for_work"                 # string offset=1456
$info_string120:
	.asciz	"start_counters"                # string offset=1470
$info_string121:
	.asciz	"cycle_count"                   # string offset=1485
$info_string122:
	.asciz	"start_ring"                    # string offset=1497
$info_string123:
	.asciz	"compiler_barrier"              # string offset=1508
$info_string124:
	.asciz	"reads_are_done"                # string offset=1525
$info_string125:
	.asciz	"claim"                         # string offset=1540
$info_string126:
	.asciz	"frames_can_be_committed"       # string offset=1546
$info_string127:
	.asciz	"frames_can_be_fetched"         # string offset=1570
$info_string128:
	.asciz	"reads_can_be_published"        # string offset=1592
$info_string129:
	.asciz	"transmits_can_be_retired"      # string offset=1615
$info_string130:
	.asciz	"send_bds_can_be_fetched"       # string offset=1640
$info_string131:
	.asciz	"status_is_due"                 # string offset=1664
$info_string132:
	.asciz	"load_linked"                   # string offset=1678
$info_string133:
	.asciz	"store_conditional"             # string offset=1690
$info_string134:
	.asciz	"flag_is_set"                   # string offset=1708
$info_string135:
	.asciz	"dma_can_publish"               # string offset=1720
$info_string136:
	.asciz	"frames_have_arrived"           # string offset=1736
$info_string137:
	.asciz	"writes_can_be_published"       # string offset=1756
$info_string138:
	.asciz	"writes_are_done"               # string offset=1780
$info_string139:
	.asciz	"received_can_be_returned"      # string offset=1796
$info_string140:
	.asciz	"receive_bds_can_be_fetched"    # string offset=1821
$info_string141:
	.asciz	"event_is_waiting"              # string offset=1848
$info_string142:
	.asciz	"returns_are_due"               # string offset=1865
$info_string143:
	.asciz	"core"                          # string offset=1881
$info_string144:
	.asciz	"may_commit"                    # string offset=1886
$info_string145:
	.asciz	"is_busy"                       # string offset=1897
$info_string146:
	.asciz	"count"                         # string offset=1905
$info_string147:
	.asciz	"first"                         # string offset=1911
$info_string148:
	.asciz	"counters"                      # string offset=1917
$info_string149:
	.asciz	"i"                             # string offset=1926
$info_string150:
	.asciz	"registers"                     # string offset=1928
$info_string151:
	.asciz	"done"                          # string offset=1938
$info_string152:
	.asciz	"most"                          # string offset=1943
$info_string153:
	.asciz	"produced"                      # string offset=1948
$info_string154:
	.asciz	"room"                          # string offset=1957
$info_string155:
	.asciz	"sent"                          # string offset=1962
$info_string156:
	.asciz	"received"                      # string offset=1967
$info_string157:
	.asciz	"value"                         # string offset=1976
$info_string158:
	.asciz	"counter"                       # string offset=1982
$info_string159:
	.asciz	"queue"                         # string offset=1990
$info_string160:
	.asciz	"committed"                     # string offset=1996
$info_string161:
	.asciz	"waiting"                       # string offset=2006
	.ident	"clang version 22.1.8"
	.section	".note.GNU-stack","",@progbits
	.addrsig
	.addrsig_sym initialise
	.addrsig_sym spin_pause
	.addrsig_sym send_pass
	.addrsig_sym __ubsan_handle_load_invalid_value
	.addrsig_sym receive_pass
	.addrsig_sym wait_for_work
	.addrsig_sym __ubsan_handle_type_mismatch_v1
	.addrsig_sym start_counters
	.addrsig_sym cycle_count
	.addrsig_sym start_ring
	.addrsig_sym __ubsan_handle_out_of_bounds
	.addrsig_sym __ubsan_handle_pointer_overflow
	.addrsig_sym compiler_barrier
	.addrsig_sym reads_are_done
	.addrsig_sym claim
	.addrsig_sym handle_dma_reads
	.addrsig_sym frames_can_be_committed
	.addrsig_sym commit_frames
	.addrsig_sym frames_can_be_fetched
	.addrsig_sym fetch_frames
	.addrsig_sym reads_can_be_published
	.addrsig_sym publish_reads
	.addrsig_sym transmits_can_be_retired
	.addrsig_sym retire_transmits
	.addrsig_sym send_bds_can_be_fetched
	.addrsig_sym fetch_send_bds
	.addrsig_sym status_is_due
	.addrsig_sym update_status
	.addrsig_sym load_linked
	.addrsig_sym store_conditional
	.addrsig_sym flag_is_set
	.addrsig_sym __ubsan_handle_divrem_overflow
	.addrsig_sym dma_can_publish
	.addrsig_sym frames_have_arrived
	.addrsig_sym receive_frames
	.addrsig_sym writes_can_be_published
	.addrsig_sym publish_writes
	.addrsig_sym writes_are_done
	.addrsig_sym handle_dma_writes
	.addrsig_sym received_can_be_returned
	.addrsig_sym commit_received
	.addrsig_sym receive_bds_can_be_fetched
	.addrsig_sym fetch_receive_bds
	.addrsig_sym event_is_waiting
	.addrsig_sym event_handle
	.addrsig_sym returns_are_due
	.addrsig_sym is_initialised
	.text
	.section	.debug_line,"",@0x7000001e
$line_table_start0:
