//! The places of one cache and the order in which they will be reused.

/// No line, no place.
pub(super) const NONE: u32 = u32::MAX;

#[derive(Clone, Copy, Debug)]
struct Place {
    /// Number of the line it holds.
    line: u32,
    /// The next to be reused later.
    newer: u32,
    /// The next to be reused earlier.
    older: u32,
}

#[derive(Clone, Copy, Debug)]
struct Ends {
    newest: u32,
    oldest: u32,
}

/// Places in sets. In each set they form a list from the newest to the oldest, the empty ones at the old end.
#[derive(Debug)]
pub(super) struct Cache {
    places: Vec<Place>,
    sets: Vec<Ends>,
    ways: u32,
}

impl Cache {
    pub(super) fn new(sets: u32, ways: u32) -> Self {
        let places = (0..sets * ways).map(|place| {
            let (first, last) = (place % ways == 0, place % ways == ways - 1);
            let newer = if first { NONE } else { place - 1 };
            let older = if last { NONE } else { place + 1 };
            Place { line: NONE, newer, older }
        });
        let ends = (0..sets).map(|set| Ends { newest: set * ways, oldest: set * ways + ways - 1 });
        Self { places: places.collect(), sets: ends.collect(), ways }
    }

    pub(super) fn sets(&self) -> u32 {
        self.sets.len() as u32
    }

    /// Makes the place the newest of its set.
    #[inline]
    pub(super) fn touch(&mut self, place: u32) {
        let set = self.set_of(place);
        if self.sets[set].newest != place {
            self.unlink(place);
            let newest = std::mem::replace(&mut self.sets[set].newest, place);
            self.places[newest as usize].newer = place;
            let entry = &mut self.places[place as usize];
            (entry.newer, entry.older) = (NONE, newest);
        }
    }

    /// Puts a line into the oldest place of the set, which becomes the newest. Gives the place and the line that was there.
    #[inline]
    pub(super) fn fill(&mut self, set: u32, line: u32) -> (u32, u32) {
        let place = self.sets[set as usize].oldest;
        let evicted = std::mem::replace(&mut self.places[place as usize].line, line);
        self.touch(place);
        (place, evicted)
    }

    /// Empties the place, which becomes the oldest of its set.
    pub(super) fn clear(&mut self, place: u32) {
        self.places[place as usize].line = NONE;
        let set = self.set_of(place);
        if self.sets[set].oldest != place {
            self.unlink(place);
            let oldest = std::mem::replace(&mut self.sets[set].oldest, place);
            self.places[oldest as usize].older = place;
            let entry = &mut self.places[place as usize];
            (entry.newer, entry.older) = (oldest, NONE);
        }
    }

    #[inline]
    fn set_of(&self, place: u32) -> usize {
        if self.sets.len() == 1 { 0 } else { (place / self.ways) as usize }
    }

    #[inline]
    fn unlink(&mut self, place: u32) {
        let Place { newer, older, .. } = self.places[place as usize];
        let set = self.set_of(place);
        match newer {
            NONE => self.sets[set].newest = older,
            newer => self.places[newer as usize].older = older,
        }
        match older {
            NONE => self.sets[set].oldest = newer,
            older => self.places[older as usize].newer = newer,
        }
    }
}
