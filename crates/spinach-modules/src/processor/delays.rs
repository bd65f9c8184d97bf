//! Places at which a core is delayed, so that races of its firmware show.

use serde::{Deserialize, Serialize};

/// Instructions before which a core pauses, by address.
#[derive(Clone, Debug, Default)]
pub(super) struct Delays {
    places: Vec<Place>,
}

/// One of them.
#[derive(Clone, Copy, Debug)]
struct Place {
    address: u64,
    cycles: u64,
    every: u64,
}

/// Number of visits of each of them.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(super) struct Visits {
    of_places: Vec<u64>,
}

impl Delays {
    /// Reads rows of 3 numbers: the address of an instruction, for how many cycles, and an interval.
    ///
    /// # Errors
    ///
    /// A row is cut short, a number makes no sense, or an address comes twice; one sentence with the reason.
    pub(super) fn new(rows: &[u64], parcel_bytes: u32, address_bits: u32) -> Result<Self, String> {
        let mut places = Vec::new();
        for row in rows.chunks(3) {
            let &[at, cycles, every] = row else {
                return Err("delays: a row has 3 numbers: an address, cycles, and an interval".to_owned());
            };
            let fits = at.checked_shr(address_bits).is_none_or(|above| above == 0);
            if !fits || !at.is_multiple_of(parcel_bytes.into()) {
                return Err(format!("delays: {at:#x} is not the address of an instruction"));
            }
            if every == 0 {
                return Err(format!("delays: {at:#x}: each 0th time is never; 1 is each time"));
            }
            places.push(Place { address: at, cycles, every });
        }
        places.sort_by_key(|place| place.address);
        if let Some(pair) = places.windows(2).find(|pair| pair[0].address == pair[1].address) {
            return Err(format!("delays: {:#x} is there twice", pair[0].address));
        }
        Ok(Self { places })
    }

    /// True if no delays are configured.
    pub(super) fn is_empty(&self) -> bool {
        self.places.is_empty()
    }

    /// Number of cycles that the core pauses before the instruction at `pc`, which it has just reached.
    pub(super) fn reach(&self, pc: u64, visits: &mut Visits) -> u64 {
        let Ok(number) = self.places.binary_search_by_key(&pc, |place| place.address) else {
            return 0;
        };
        visits.of_places.resize(self.places.len(), 0);
        let before = visits.of_places[number];
        visits.of_places[number] += 1;
        let Place { cycles, every, .. } = self.places[number];
        if before.is_multiple_of(every) { cycles } else { 0 }
    }
}
