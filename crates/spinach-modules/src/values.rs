//! Types that channels of the library carry.
