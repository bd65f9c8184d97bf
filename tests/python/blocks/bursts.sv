// A master of AXI4 writes a burst with the numbers of its beats, and reads the same burst; a target of AXI4 has a memory of 1 KiB.
module bursts (
    input logic clk, input logic rst,
    input logic [15:0] start, input logic [7:0] length, input logic [2:0] size, input logic [1:0] kind, input logic lock,
    input logic early_last, output logic [63:0] total, output logic [7:0] beats, output logic [7:0] wrong,
    output logic [31:0] m_awaddr, output logic [7:0] m_awlen, output logic [2:0] m_awsize, output logic [1:0] m_awburst,
    output logic [3:0] m_awid, output logic m_awlock, output logic m_awvalid, input logic m_awready,
    output logic [63:0] m_wdata, output logic [7:0] m_wstrb, output logic m_wlast, output logic m_wvalid, input logic m_wready,
    input logic [1:0] m_bresp, input logic [3:0] m_bid, input logic m_bvalid, output logic m_bready,
    output logic [31:0] m_araddr, output logic [7:0] m_arlen, output logic [2:0] m_arsize, output logic [1:0] m_arburst,
    output logic [3:0] m_arid, output logic m_arlock, output logic m_arvalid, input logic m_arready,
    input logic [63:0] m_rdata, input logic [1:0] m_rresp, input logic [3:0] m_rid, input logic m_rlast, input logic m_rvalid,
    output logic m_rready,
    input logic [31:0] s_awaddr, input logic [7:0] s_awlen, input logic s_awvalid, output logic s_awready,
    input logic [31:0] s_wdata, input logic [3:0] s_wstrb, input logic s_wlast, input logic s_wvalid, output logic s_wready,
    output logic [1:0] s_bresp, output logic s_bvalid, input logic s_bready,
    input logic [31:0] s_araddr, input logic [7:0] s_arlen, input logic s_arvalid, output logic s_arready,
    output logic [31:0] s_rdata, output logic [1:0] s_rresp, output logic s_rlast, output logic s_rvalid, input logic s_rready
);
    enum logic [2:0] {ADDRESS, DATA, RESULT, READ, ANSWERS, DONE} state;
    logic [7:0] beat;
    always_ff @(posedge clk)
        if (rst) begin
            state <= ADDRESS;
            {beat, beats, wrong, total} <= 0;
        end else case (state)
            ADDRESS: if (m_awready) state <= DATA;
            DATA: if (m_wready) begin
                beat <= beat + 1;
                if (m_wlast) state <= RESULT;
            end
            RESULT: if (m_bvalid) begin
                wrong <= wrong + 8'(m_bresp != 0) + 8'(m_bid != 5);
                state <= READ;
            end
            READ: if (m_arready) state <= ANSWERS;
            ANSWERS: if (m_rvalid) begin
                beats <= beats + 1;
                total <= {total[62:0], total[63]} ^ m_rdata;
                wrong <= wrong + 8'(m_rresp != 0) + 8'(m_rid != 9) + 8'(m_rlast != (beats == length));
                if (m_rlast) state <= DONE;
            end
            default: ;
        endcase
    assign {m_awaddr, m_awlen, m_awsize, m_awburst, m_awid, m_awlock} = {16'b0, start, length, size, kind, 4'd5, lock};
    assign {m_araddr, m_arlen, m_arsize, m_arburst, m_arid, m_arlock} = {16'b0, start, length, size, kind, 4'd9, 1'b0};
    assign {m_awvalid, m_wvalid, m_arvalid} = {state == ADDRESS, state == DATA, state == READ};
    assign {m_wdata, m_wlast} = {{8{beat + 8'd1}}, beat == length - 8'(early_last)};
    // The lanes of a beat, for starts that are aligned.
    logic [7:0] lanes;
    assign lanes = size == 3 ? 8'hff : size == 2 ? 8'h0f : 8'h03;
    logic [2:0] lane;
    assign lane = 3'(start) + 3'(beat << size);
    assign m_wstrb = lanes << (kind == 0 ? start[2:0] : lane);
    assign {m_bready, m_rready} = {state == RESULT, state == ANSWERS};

    logic [31:0] memory [256];
    logic [7:0] place, left;
    logic is_writing, is_reading, is_written;
    assign s_awready = !is_writing && !is_written && !is_reading;
    assign s_arready = s_awready && !s_awvalid;
    assign {s_wready, s_bvalid, s_bresp} = {is_writing, is_written, 2'b0};
    assign {s_rdata, s_rvalid, s_rresp, s_rlast} = {memory[place], is_reading, 2'b0, left == 0};
    always_ff @(posedge clk)
        if (rst) {is_writing, is_reading, is_written} <= 0;
        else begin
            if (s_awvalid && s_awready) {is_writing, place, left} <= {1'b1, s_awaddr[9:2], s_awlen};
            if (s_arvalid && s_arready) {is_reading, place, left} <= {1'b1, s_araddr[9:2], s_arlen};
            if (s_wvalid && s_wready) begin
                for (int index = 0; index < 4; index++)
                    if (s_wstrb[index]) memory[place][8*index +: 8] <= s_wdata[8*index +: 8];
                if (s_wlast != (left == 0)) $fatal(1, "wlast");
                {place, left} <= {place + 8'd1, left - 8'd1};
                {is_writing, is_written} <= {!s_wlast, s_wlast};
            end
            if (s_bvalid && s_bready) is_written <= 0;
            if (s_rvalid && s_rready) {place, left, is_reading} <= {place + 8'd1, left - 8'd1, !s_rlast};
        end
endmodule
