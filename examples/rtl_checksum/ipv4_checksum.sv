// Check of IPv4 header checksums in the path of frames: an AXI4-Stream of 8 bytes a beat passes with one cycle of latency, and the
// last beat of a frame whose header is damaged is marked in `tuser`.
//
// A header of HEADER_WORDS words of 32 bits is checked. With 4 that is an error: the destination is left out.
module ipv4_checksum #(parameter int HEADER_WORDS = 5) (
    input  logic        clk,
    input  logic        rst_n,
    input  logic [63:0] s_axis_tdata,
    input  logic [7:0]  s_axis_tkeep,
    input  logic        s_axis_tvalid,
    output logic        s_axis_tready,
    input  logic        s_axis_tlast,
    input  logic        s_axis_tuser,
    output logic [63:0] m_axis_tdata,
    output logic [7:0]  m_axis_tkeep,
    output logic        m_axis_tvalid,
    input  logic        m_axis_tready,
    output logic        m_axis_tlast,
    output logic        m_axis_tuser,
    output logic [31:0] checked,
    output logic [31:0] damaged,
    output logic        idle
);
    localparam int TypeWord = 6;    // EtherType, as an index of 16-bit words of the frame
    localparam int HeaderWord = 7;  // first word of the IPv4 header

    logic [13:0] beat, next_beat;
    logic        is_ipv4, next_is_ipv4;
    logic [15:0] sum, next_sum;
    logic        moves_in, is_damaged;

    function automatic logic [15:0] added(input logic [15:0] one, input logic [15:0] other);
        logic [16:0] total = {1'b0, one} + {1'b0, other};
        return total[15:0] + {15'b0, total[16]};
    endfunction

    assign s_axis_tready = !m_axis_tvalid || m_axis_tready;
    assign moves_in = s_axis_tvalid && s_axis_tready;
    assign idle = !m_axis_tvalid;

    always_comb begin
        next_beat = beat + 14'd1;
        next_is_ipv4 = is_ipv4;
        next_sum = sum;
        for (int lane = 0; lane < 4; lane++) begin
            automatic int index = 4 * int'(beat) + lane;
            automatic logic [15:0] word = {s_axis_tdata[16 * lane +: 8], s_axis_tdata[16 * lane + 8 +: 8]};
            if (index == TypeWord) next_is_ipv4 = word == 16'h0800;
            if (index >= HeaderWord && index < HeaderWord + 2 * HEADER_WORDS) next_sum = added(next_sum, word);
        end
        is_damaged = next_is_ipv4 && next_sum != 16'hffff;
    end

    always_ff @(posedge clk) begin
        if (!rst_n) begin
            m_axis_tvalid <= 1'b0;
            {beat, is_ipv4, sum, checked, damaged} <= '0;
        end else if (s_axis_tready) begin
            m_axis_tvalid <= s_axis_tvalid;
            if (s_axis_tvalid) begin
                m_axis_tdata <= s_axis_tdata;
                m_axis_tkeep <= s_axis_tkeep;
                m_axis_tlast <= s_axis_tlast;
                m_axis_tuser <= s_axis_tuser || (s_axis_tlast && is_damaged);
                {beat, is_ipv4, sum} <= {next_beat, next_is_ipv4, next_sum};
            end
        end
        if (rst_n && moves_in && s_axis_tlast) begin
            {beat, is_ipv4, sum} <= '0;
            checked <= checked + 32'(next_is_ipv4);
            damaged <= damaged + 32'(is_damaged);
        end
    end
endmodule
