//! Documentation comments as text.

/// Joins the lines of a documentation comment into one paragraph.
pub fn paragraph(lines: &[&str]) -> String {
    lines.iter().map(|line| line.trim()).filter(|line| !line.is_empty()).collect::<Vec<_>>().join(" ")
}
