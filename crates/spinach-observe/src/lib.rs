//! What a person looks at: the packets that pass through a simulated system, in the formats of ordinary tools.
//!
//! Everything here watches from outside, as an [`Observer`](spinach_engine::Observer), or works on files. It knows the library's
//! values and no particular NIC, and it never changes a result.

pub mod capture_reader;
pub mod capture_writer;
