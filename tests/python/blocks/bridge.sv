// Accesses pass from one AXI4-Lite port to another, at other addresses.
module bridge (
    input logic clk, input logic rst,
    input logic [31:0] s_awaddr, input logic s_awvalid, output logic s_awready,
    input logic [63:0] s_wdata, input logic [7:0] s_wstrb, input logic s_wvalid, output logic s_wready,
    output logic [1:0] s_bresp, output logic s_bvalid, input logic s_bready,
    input logic [31:0] s_araddr, input logic s_arvalid, output logic s_arready,
    output logic [63:0] s_rdata, output logic [1:0] s_rresp, output logic s_rvalid, input logic s_rready,
    output logic [31:0] m_awaddr, output logic m_awvalid, input logic m_awready,
    output logic [63:0] m_wdata, output logic [7:0] m_wstrb, output logic m_wvalid, input logic m_wready,
    input logic [1:0] m_bresp, input logic m_bvalid, output logic m_bready,
    output logic [31:0] m_araddr, output logic m_arvalid, input logic m_arready,
    input logic [63:0] m_rdata, input logic [1:0] m_rresp, input logic m_rvalid, output logic m_rready
);
    assign {m_awaddr, m_awvalid, s_awready} = {s_awaddr ^ 32'h1000, s_awvalid && !rst, m_awready};
    assign {m_wdata, m_wstrb, m_wvalid, s_wready} = {s_wdata, s_wstrb, s_wvalid && !rst, m_wready};
    assign {s_bresp, s_bvalid, m_bready} = {m_bresp, m_bvalid, s_bready};
    assign {m_araddr, m_arvalid, s_arready} = {s_araddr ^ 32'h1000, s_arvalid && !rst, m_arready};
    assign {s_rdata, s_rresp, s_rvalid, m_rready} = {m_rdata, m_rresp, m_rvalid, s_rready};
endmodule
