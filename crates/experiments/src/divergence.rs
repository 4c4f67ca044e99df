//! Whether a step is too long for the curvature that the declared bounds allow: told before the run, never found in data.

use crate::algorithms::Method;
use crate::report::significant;
use crate::spec::Spec;
use crate::theory::curvatures;

/// The largest curvature of a party's objective that the declared bounds allow, `L = max s_i n_i R_x^2 c`, where `c` is the
/// largest curvature of the loss: the gradient of `f_i` is `L`-Lipschitz. It is infinite for the hinge.
pub fn curvature(spec: &Spec) -> f64 {
    curvatures(&spec.declaration).fold(0.0, f64::max)
}

/// A warning where a step that multiplies a gradient exceeds `2 / L`: gradient descent on a quadratic of curvature `L` then
/// moves away from the optimum in every round.
pub fn warning(spec: &Spec) -> Option<String> {
    let (method, curvature) = (spec.method.as_ref(), curvature(spec));
    let longest = 2.0 / curvature;
    let step = method.step().filter(|_| curvature.is_finite())?;
    let mut rounds = (0..spec.config.rounds).filter(|&t| step.at(t) > longest);
    let first = rounds.next()?;
    let others = match rounds.count() {
        0 => String::new(),
        others => format!(" (and those of {others} more)"),
    };
    Some(format!(
        "the step {} of round {first}{others} is more than 2/L = {}, where L = s n R_x^2 c = {} is the largest curvature of a \
         party's objective within the declared bounds (c: of the loss): {}",
        significant(step.at(first)),
        significant(longest),
        significant(curvature),
        consequence(method)
    ))
}

fn consequence(method: &dyn Method) -> &'static str {
    if method.set().radius().is_finite() {
        "the set holds the points, but they need not converge"
    } else if method.clip().or(method.record_clip()).is_some() {
        "clipped gradients bound every move, but the points need not converge"
    } else {
        "the points can grow without end, and the run then stops"
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::load;

    /// Rows have norm 2 and the largest of 5 parties 4505 of 22524 records.
    #[test]
    fn a_step_is_compared_with_the_curvature_of_each_loss() {
        let pooled = 5.0 / 22_524.0 * 4505.0 * 4.0;
        let of = |keys: &[&str]| {
            let keys: Vec<String> = keys.iter().map(|&key| key.to_owned()).collect();
            let spec = Spec::new(load("quickstart", &keys).unwrap()).unwrap();
            (curvature(&spec), warning(&spec))
        };
        let huber = "objective.loss={ kind = 'huber', width = 0.3 }";
        for (key, expected) in [
            ("seed=1", pooled),
            (huber, pooled),
            ("objective.weighting=node-mean", 4.0),
            ("objective.weighting=sum", 4505.0 * 4.0),
        ] {
            let (found, warning) = of(&[key, "algorithm.step.c=1e-4"]);
            assert!((found / expected - 1.0).abs() < 1e-12, "{key}: {found}");
            assert_eq!(warning.is_some(), 1e-4 > 2.0 / expected, "{key}: {warning:?}");
        }
        let classes = |loss: &str| {
            let target = "data.target={ column = 'spam', levels = ['0', '1'] }";
            let loss = format!("objective.loss={loss}");
            let keys = [target.to_owned(), loss, "objective.regulariser={ kind = 'none' }".to_owned()];
            let spec = Spec::new(load("svm", &keys).unwrap()).unwrap();
            let records = spec.declaration.records().iter().copied().max().unwrap() as f64;
            let all = spec.declaration.records().iter().sum::<usize>() as f64;
            let norm = spec.declaration.bounds().row_norm();
            curvature(&spec) / (norm * norm * records * spec.declaration.nodes() as f64 / all)
        };
        assert!((classes("{ kind = 'logistic' }") - 0.25).abs() < 1e-12);
        assert!((classes("{ kind = 'smoothed-hinge', width = 0.2 }") - 5.0).abs() < 1e-12);
        assert!(classes("{ kind = 'hinge' }").is_infinite());
    }

    #[test]
    fn what_follows_depends_on_what_holds_the_points() {
        let step = "step = { kind = 'geometric', c = 2, q = 0.5 }";
        let ball = "set = { kind = 'l2-ball', radius = 1 }";
        let free = format!("algorithm={{ kind = 'dgd', {step} }}");
        let held = format!("algorithm={{ kind = 'projected-dgd', {step}, {ball} }}");
        let half = "set = { kind = 'half-space', normal = [1, 0, 0, 0, 0, 0, 0, 0, 0], offset = 1 }";
        let clipped = format!("algorithm={{ kind = 'pdop', {step}, {half}, at = {{ clipped = 1 }} }}");
        let dual = "algorithm={ kind = 'dual-averaging', weights = { kind = 'growing-distance', gamma = 1e-9 } }";
        let warned = |algorithm: &str| {
            let quiet = ["privacy.noise={ kind = 'none' }", "rounds=20", algorithm].map(str::to_owned);
            let mut loaded = load("quickstart", &quiet).unwrap();
            loaded.config.privacy.budget = None;
            warning(&Spec::new(loaded).unwrap())
        };
        // 2, 1 and 1/2 are above 2/L, which is 0.49998.
        for (algorithm, end) in [
            (free, "and the run then stops"),
            (held, "the set holds the points, but they need not converge"),
            (clipped, "clipped gradients bound every move, but the points need not converge"),
        ] {
            let text = warned(&algorithm).unwrap();
            assert!(text.starts_with("the step 2 of round 0 (and those of 2 more) is more than 2/L = 0.5, "), "{text}");
            assert!(text.contains("= 4 is the") && text.ends_with(end), "{text}");
        }
        assert_eq!(warned(dual), None);
    }
}
