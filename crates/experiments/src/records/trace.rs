//! What was measured while a run went on, and what is said of all its lanes.

use serde::{Deserialize, Serialize};

use super::TracePoint;

/// A run as curves: what was measured after each observed round, in every lane.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Trace {
    /// The accountants whose epsilon so far is known: those that cover the noise and are quick.
    pub accountants: Vec<String>,
    /// The names of the metrics.
    pub metrics: Vec<String>,
    /// The observed rounds, ascending.
    pub observed: Vec<Observation>,
}

/// One observed round.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Observation {
    /// Completed rounds.
    pub round: u32,
    /// Epsilon of one lane so far, for each of [`Trace::accountants`]; absent where it is infinite.
    pub epsilon: Vec<Option<f64>>,
    /// Messages along an edge, one way, that a lane has taken so far.
    pub messages: u64,
    /// Bytes of the numbers in them.
    pub bytes: u64,
    /// For each of [`Trace::metrics`] a value per lane, of the mean over parties of their estimates; absent where it is
    /// undefined. Computed from records, all but the consensus error: not private.
    pub metrics: Vec<Vec<Option<f64>>>,
}

/// What is said of the values of all lanes in which a metric is defined.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Band {
    /// How many lanes that are.
    pub lanes: usize,
    /// Their mean.
    pub mean: f64,
    /// The standard error of the mean: the sample standard deviation (divisor `lanes - 1`) over the root of `lanes`; absent
    /// for one lane.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub standard_error: Option<f64>,
    /// The smallest value.
    pub min: f64,
    /// The quantile 0.05, linear between order statistics.
    pub q05: f64,
    /// The median.
    pub q50: f64,
    /// The quantile 0.95.
    pub q95: f64,
    /// The largest value.
    pub max: f64,
}

/// Which values of a metric are good.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Better {
    /// Large ones.
    Higher,
    /// Small ones.
    Lower,
}

/// A metric of the models that `model.json` holds.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Measured {
    /// Its name.
    pub metric: String,
    /// Which values are good.
    pub better: Better,
    /// What is said of all lanes; absent if it is undefined in all of them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub band: Option<Band>,
    /// Its value in each lane; absent where it is undefined.
    pub values: Vec<Option<f64>>,
    /// Why it is undefined, where it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub undefined: Option<String>,
}

impl Band {
    /// The band of these values; nothing if there are none. A mean that overflows saturates.
    pub fn of(values: &[f64]) -> Option<Self> {
        let mut sorted = values.to_vec();
        sorted.sort_by(f64::total_cmp);
        let (&min, &max) = (sorted.first()?, sorted.last()?);
        let n = sorted.len() as f64;
        let mean = saturated(sorted.iter().sum::<f64>() / n);
        let variance = sorted.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / (n - 1.0);
        let standard_error = (sorted.len() > 1).then(|| saturated((variance / n).sqrt()));
        let [q05, q50, q95] = [0.05, 0.5, 0.95].map(|p| quantile(&sorted, p));
        Some(Self { lanes: sorted.len(), mean, standard_error, min, q05, q50, q95, max })
    }
}

/// The finite number nearest to one that may have overflowed; one that is undefined is the largest.
fn saturated(value: f64) -> f64 {
    if value.is_nan() { f64::MAX } else { value.clamp(f64::MIN, f64::MAX) }
}

/// The quantile of sorted values, linear between order statistics at `p (n - 1)`.
fn quantile(sorted: &[f64], p: f64) -> f64 {
    let place = p * (sorted.len() - 1) as f64;
    let below = place.floor();
    // A place is less than the number of values.
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "see above")]
    let k = below as usize;
    let (low, high, share) = (sorted[k], sorted[(k + 1).min(sorted.len() - 1)], place - below);
    // Not low + share (high - low): the difference of two saturated values overflows.
    if share > 0.0 { low * (1.0 - share) + high * share } else { low }
}

impl Trace {
    /// The place of a metric.
    fn place(&self, metric: &str) -> Option<usize> {
        self.metrics.iter().position(|name| name == metric)
    }

    /// The band of a metric after each observed round in which some lane has it; nothing if there is no such metric.
    pub fn bands(&self, metric: &str) -> Vec<(u32, Band)> {
        let Some(place) = self.place(metric) else { return vec![] };
        let of = |seen: &Observation| {
            let values: Vec<f64> = seen.metrics[place].iter().copied().flatten().collect();
            Band::of(&values).map(|band| (seen.round, band))
        };
        self.observed.iter().filter_map(of).collect()
    }

    /// Epsilon of one lane after each observed round by an accountant, absent where it is infinite; nothing if the
    /// accountant is not among those of this trace.
    pub fn epsilon(&self, accountant: &str) -> Vec<(u32, Option<f64>)> {
        let place = self.accountants.iter().position(|name| name == accountant);
        place.map_or(vec![], |place| self.observed.iter().map(|seen| (seen.round, seen.epsilon[place])).collect())
    }

    /// The accountant of [`Self::curve`]: that of the noise, or the least of all where neither zCDP nor Rényi divergences have an
    /// answer.
    pub fn accountant(&self) -> Option<&str> {
        ["best", "zcdp", "rdp"].into_iter().find(|name| self.accountants.iter().any(|known| known == name))
    }

    /// The mean over lanes in every observed round, of few figures: what a picture shows.
    pub fn curve(&self) -> Vec<TracePoint> {
        let epsilon = self.epsilon(self.accountant().unwrap_or_default());
        let merit = ["held_out_r2", "held_out_accuracy"].into_iter().find_map(|name| self.place(name));
        let [distance, consensus] = ["distance_to_optimum", "consensus_error"].map(|name| self.place(name));
        let band = |seen: &Observation, place: Option<usize>| {
            Band::of(&seen.metrics[place?].iter().copied().flatten().collect::<Vec<_>>())
        };
        let point = |(seen, (round, epsilon)): (&Observation, (u32, Option<f64>))| TracePoint {
            round,
            epsilon,
            merit: band(seen, merit).map_or(f64::MIN, |band| band.mean),
            distance: band(seen, distance).map_or(f64::MAX, |band| band.mean),
            consensus_error: band(seen, consensus).map_or(f64::MAX, |band| band.max),
        };
        self.observed.iter().zip(epsilon).map(point).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The values 1 to 5 and the closed forms; the quantiles are those of numpy's default.
    #[test]
    fn a_band_is_what_it_says() {
        let band = Band::of(&[4.0, 1.0, 5.0, 3.0, 2.0]).unwrap();
        let error = (2.5_f64 / 5.0).sqrt();
        let expected =
            Band { lanes: 5, mean: 3.0, standard_error: Some(error), min: 1.0, q05: 1.2, q50: 3.0, q95: 4.8, max: 5.0 };
        assert!((band.q05 - 1.2).abs() < 1e-15 && (band.q95 - 4.8).abs() < 1e-15, "{band:?}");
        assert_eq!(Band { q05: 1.2, q95: 4.8, ..band }, expected);
        assert_eq!(Band::of(&[1.0, 2.0]).unwrap().q50.to_bits(), 1.5_f64.to_bits());
        let one = Band::of(&[7.0]).unwrap();
        assert_eq!((one.q05, one.q50, one.q95, one.standard_error), (7.0, 7.0, 7.0, None));
        assert_eq!(Band::of(&[]), None);
    }

    #[test]
    fn a_band_of_saturated_values_is_finite() {
        let band = Band::of(&[f64::MAX, f64::MIN, f64::MAX]).unwrap();
        let json = serde_json::to_string(&band).unwrap();
        assert!(!json.contains("null"), "{json}");
        assert_eq!(serde_json::from_str::<Band>(&json).unwrap(), band);
    }
}
