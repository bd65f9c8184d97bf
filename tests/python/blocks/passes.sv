// Streams that pass with a latency of one cycle; `mode` makes mistakes: 1 to 5 in the stream of words.
module passes #(parameter int BYTES = 8) (
    input  logic clk, input logic reset,
    input  logic [8*BYTES-1:0] s_axis_tdata, input logic [BYTES-1:0] s_axis_tkeep,
    input  logic s_axis_tvalid, output logic s_axis_tready, input logic s_axis_tlast,
    output logic [8*BYTES-1:0] m_axis_tdata, output logic [BYTES-1:0] m_axis_tkeep,
    output logic m_axis_tvalid, input logic m_axis_tready, output logic m_axis_tlast,
    input  logic feed_valid, output logic feed_ready, input logic [39:0] feed_data,
    output logic out_valid, input logic out_ready, output logic [39:0] out_data,
    input  logic [2:0] mode, output logic [63:0] total
);
    assign s_axis_tready = mode != 7 && (!m_axis_tvalid || m_axis_tready);
    assign feed_ready = mode != 7 && (!out_valid || out_ready);

    always_ff @(posedge clk) begin
        if (s_axis_tready) begin
            m_axis_tvalid <= s_axis_tvalid && !reset;
            {m_axis_tdata, m_axis_tkeep, m_axis_tlast} <= {s_axis_tdata, s_axis_tkeep, s_axis_tlast};
        end else if (mode == 6) m_axis_tvalid <= 0;
        if (feed_ready) begin
            out_valid <= feed_valid && !reset;
            out_data <= feed_data + 40'd1;
            if (feed_valid && !reset) total <= total + 64'(feed_data);
        end else if (mode == 1) out_valid <= 0;
        else if (mode == 2) out_data <= ~out_data;
        if (mode == 3 && total > 20) $finish;
        if (mode == 4) assert (total < 20) else $error("too much");
        if (mode == 5 && total > 20) $fatal(1, "too much");
        if (reset) total <= 0;
    end
endmodule
