// Accesses pass from Wishbone to OBI, and from OBI to pipelined Wishbone; a port of classic Wishbone withdraws its requests.
module buses (
    input logic clk, input logic rst, input logic withdraws,
    input logic s_CYC, input logic s_STB, input logic s_WE, input logic [29:0] s_ADR, input logic [3:0] s_SEL,
    input logic [31:0] s_DAT_MOSI, output logic [31:0] s_DAT_MISO, output logic s_ACK, output logic s_ERR,
    output logic m_req_o, input logic m_gnt_i, output logic [31:0] m_addr_o, output logic m_we_o, output logic [3:0] m_be_o,
    output logic [31:0] m_wdata_o, input logic m_rvalid_i, input logic [31:0] m_rdata_i, input logic m_err_i,
    input logic p_req_i, output logic p_gnt_o, input logic [31:0] p_addr_i, input logic p_we_i, input logic [3:0] p_be_i,
    input logic [31:0] p_wdata_i, output logic p_rvalid_o, output logic [31:0] p_rdata_o, output logic p_err_o,
    output logic o_wb_cyc, output logic o_wb_stb, output logic o_wb_we, output logic [31:2] o_wb_addr, output logic [3:0] o_wb_sel,
    output logic [31:0] o_wb_data, input logic [31:0] i_wb_data, input logic i_wb_stall, input logic i_wb_ack, input logic i_wb_err,
    output logic c_cyc, output logic c_stb, output logic [31:0] c_adr, input logic [31:0] c_dat_r, input logic c_ack
);
    logic is_granted;
    always_ff @(posedge clk) is_granted <= !rst && (is_granted ? !m_rvalid_i : m_req_o && m_gnt_i);
    assign m_req_o = s_CYC && s_STB && !is_granted;
    assign {m_addr_o, m_we_o, m_be_o, m_wdata_o} = {s_ADR, 2'b0, s_WE, s_SEL, s_DAT_MOSI};
    assign {s_DAT_MISO, s_ACK, s_ERR} = {m_rdata_i, m_rvalid_i && !m_err_i, m_rvalid_i && m_err_i};

    logic [3:0] waiting;
    always_ff @(posedge clk) waiting <= rst ? 0 : waiting + 4'(p_req_i && p_gnt_o) - 4'(p_rvalid_o);
    assign {o_wb_cyc, o_wb_stb, p_gnt_o} = {p_req_i || waiting != 0, p_req_i, !i_wb_stall};
    assign {o_wb_we, o_wb_addr, o_wb_sel, o_wb_data} = {p_we_i, p_addr_i[31:2], p_be_i, p_wdata_i};
    assign {p_rdata_o, p_rvalid_o, p_err_o} = {i_wb_data, i_wb_ack || i_wb_err, i_wb_err};

    always_ff @(posedge clk) c_stb <= !rst && withdraws && !c_stb;
    assign {c_cyc, c_adr} = {c_stb, 32'h40};
endmodule
