//! What the cases of a theorem add up to.

/// Ratios of what was measured and what was allowed.
#[derive(Clone, Debug, Default)]
pub(crate) struct Tally {
    checks: u64,
    worst: f64,
    broken: bool,
    /// A number that is known beforehand came out otherwise, or none came out.
    wrong_number: bool,
    /// The first check that went wrong, in words.
    first_wrong: Option<String>,
}

impl Tally {
    /// One check: `measured` is `ratio` times what is allowed, and `holds` says whether that is within chance and rounding.
    pub fn add(&mut self, ratio: f64, holds: bool, words: impl FnOnce() -> String) {
        self.checks += 1;
        // Not a number is no verdict either way.
        self.wrong_number |= ratio.is_nan();
        self.worst = self.worst.max(ratio);
        if !holds {
            self.broken = true;
            self.first_wrong.get_or_insert_with(words);
        }
    }

    /// A number that is known beforehand.
    pub fn add_number(&mut self, right: bool, words: impl FnOnce() -> String) {
        self.checks += 1;
        if !right {
            self.wrong_number = true;
            self.first_wrong = Some(words());
        }
    }

    pub fn join(&mut self, other: Self) {
        self.checks += other.checks;
        self.worst = self.worst.max(other.worst);
        self.broken |= other.broken;
        if other.wrong_number && !self.wrong_number {
            self.wrong_number = true;
            self.first_wrong = other.first_wrong;
        } else if self.first_wrong.is_none() {
            self.first_wrong = other.first_wrong;
        }
    }

    pub fn checks(&self) -> u64 {
        self.checks
    }

    /// The largest ratio.
    pub fn worst(&self) -> f64 {
        self.worst
    }

    pub fn is_broken(&self) -> bool {
        self.broken
    }

    pub fn has_wrong_number(&self) -> bool {
        self.wrong_number
    }

    pub fn first_wrong(&self) -> Option<&str> {
        self.first_wrong.as_deref()
    }
}
