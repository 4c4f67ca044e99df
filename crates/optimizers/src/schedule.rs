//! Step sizes and noise scales as functions of the round.

use serde::{Deserialize, Serialize};

use crate::OptimizerError;

/// A positive number for every round `t = 0, 1, ...`
///
/// | schedule | value at `t` | needs |
/// |---|---|---|
/// | constant | `c` | `c > 0` |
/// | power | `c / (t + d)^e` | `c > 0`, `d > 0`, `e >= 0` (paper A) |
/// | geometric | `c q^t` | `c > 0`, `q > 0` (paper C has `q < 1`) |
/// | table | the `t`-th of a list | every value `> 0` |
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum Schedule {
    /// The same value in each round.
    Constant(Constant),
    /// Power decay.
    Power(Power),
    /// Geometric decay (or growth).
    Geometric(Geometric),
    /// Any finite list.
    Table(Table),
}

/// `c`.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Constant {
    /// The value.
    pub c: f64,
}

/// `c / (t + d)^e`.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Power {
    /// The numerator.
    pub c: f64,
    /// The shift of the round.
    pub d: f64,
    /// The exponent.
    pub e: f64,
}

/// `c q^t`.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Geometric {
    /// The value in round 0.
    pub c: f64,
    /// The ratio of neighbouring rounds.
    pub q: f64,
}

/// A list of values.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Table {
    /// The values of rounds 0, 1, ...
    pub values: Vec<f64>,
}

impl Schedule {
    /// The same value in each round.
    pub fn constant(c: f64) -> Self {
        Self::Constant(Constant { c })
    }

    /// `c / (t + d)^e`, the form of paper A.
    pub fn power(c: f64, d: f64, e: f64) -> Self {
        Self::Power(Power { c, d, e })
    }

    /// `c q^t`, the form of paper C.
    pub fn geometric(c: f64, q: f64) -> Self {
        Self::Geometric(Geometric { c, q })
    }

    /// A list of values.
    pub fn table(values: Vec<f64>) -> Self {
        Self::Table(Table { values })
    }

    /// Checks the parameters, and that rounds `0..rounds` have finite positive values.
    ///
    /// # Errors
    /// Names the parameter or the first round at fault.
    pub fn check(&self, rounds: u32) -> Result<(), OptimizerError> {
        let parameters: &[(&'static str, f64, bool)] = match self {
            Self::Constant(Constant { c }) => &[("c", *c, *c > 0.0)],
            Self::Power(Power { c, d, e }) => &[("c", *c, *c > 0.0), ("d", *d, *d > 0.0), ("e", *e, *e >= 0.0)],
            Self::Geometric(Geometric { c, q }) => &[("c", *c, *c > 0.0), ("q", *q, *q > 0.0)],
            Self::Table(_) => &[],
        };
        for &(name, value, in_range) in parameters {
            if !(value.is_finite() && in_range) {
                return Err(OptimizerError::ScheduleParameter { name, value });
            }
        }
        if let Self::Table(Table { values }) = self
            && values.len() < rounds as usize
        {
            return Err(OptimizerError::ScheduleLength { length: values.len(), rounds });
        }
        match (0..rounds).map(|t| (t, self.at(t))).find(|(_, value)| !(value.is_finite() && *value > 0.0)) {
            None => Ok(()),
            Some((round, value)) => Err(OptimizerError::ScheduleValue { round, value }),
        }
    }

    /// The value in round `t`.
    ///
    /// # Panics
    /// For a table that ends before `t`; [`check`](Self::check) tells beforehand.
    pub fn at(&self, t: u32) -> f64 {
        match self {
            Self::Constant(Constant { c }) => *c,
            Self::Power(Power { c, d, e }) => c / (f64::from(t) + d).powf(*e),
            Self::Geometric(Geometric { c, q }) => c * q.powf(f64::from(t)),
            Self::Table(Table { values }) => values[t as usize],
        }
    }

    /// The schedule with every value multiplied by `factor > 0`.
    #[must_use]
    pub fn scaled(&self, factor: f64) -> Self {
        match self {
            Self::Constant(Constant { c }) => Self::constant(c * factor),
            Self::Power(p) => Self::power(p.c * factor, p.d, p.e),
            Self::Geometric(g) => Self::geometric(g.c * factor, g.q),
            Self::Table(Table { values }) => Self::table(values.iter().map(|v| v * factor).collect()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn close(a: f64, b: f64) -> bool {
        (a - b).abs() <= 1e-15 * b.abs()
    }

    #[test]
    fn each_kind_has_its_value_by_hand() {
        assert!(close(Schedule::constant(0.3).at(7), 0.3));
        assert!(close(Schedule::power(2.0, 5.0, 0.5).at(11), 0.5));
        assert!(close(Schedule::geometric(3.0, 0.5).at(2), 0.75));
        assert!(close(Schedule::table(vec![1.0, 4.0]).at(1), 4.0));
        assert!(close(Schedule::power(2.0, 5.0, 0.5).scaled(4.0).at(11), 2.0));
    }

    #[test]
    fn what_is_no_schedule_is_refused() {
        let parameter = |s: Schedule| matches!(s.check(3), Err(OptimizerError::ScheduleParameter { .. }));
        for bad in [0.0, -1.0, f64::NAN, f64::INFINITY] {
            assert!(parameter(Schedule::constant(bad)));
            assert!(parameter(Schedule::power(1.0, bad, 1.0)));
            assert!(parameter(Schedule::geometric(1.0, bad)));
        }
        assert!(parameter(Schedule::power(1.0, 1.0, -0.5)));
        let short = Schedule::table(vec![1.0]);
        assert!(matches!(short.check(2), Err(OptimizerError::ScheduleLength { length: 1, rounds: 2 })));
        let zero = Schedule::table(vec![1.0, 0.0]);
        assert!(matches!(zero.check(2), Err(OptimizerError::ScheduleValue { round: 1, .. })));
        // A geometric schedule that underflows to zero would switch the noise off.
        assert!(matches!(Schedule::geometric(1.0, 0.1).check(400), Err(OptimizerError::ScheduleValue { .. })));
    }
}
