//! The number of threads changes the time, never a bit of the result.

mod common;

use common::{Bench, TOML, assert_equal_results, clinics};

/// 24 parties, 5000 lanes, 3 coordinates: 360 000 draws of noise, 1 080 000 multiply-adds for the gradients and
/// 8 640 000 for the averages on the complete graph in each round. Threads are used from 30 000, 1 000 000 and 400 000.
const WIDE: &str = "
lanes = 5000
rounds = 4
averaging_rounds = 2
";

#[test]
fn one_two_and_four_threads_agree_bit_for_bit() {
    let wide = TOML
        .replace("rounds = 40\naveraging_rounds = 60\n", WIDE.trim_start())
        .replace(
            "records = [33, 39, 48]",
            "records = [5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5]",
        )
        .replace("{ kind = \"by-column\", column = \"site\" }", "{ kind = \"shuffled\" }")
        .replace("kind = \"ring\"", "kind = \"complete\"");
    let bench = Bench::with(&wide, &clinics());
    let quickstart = Bench::new();
    for threads in ["1", "2", "4"] {
        bench.json(&["run", "experiment.toml", "--threads", threads, "--out", threads]);
        let out = quickstart.path(threads);
        let run = quickstart.json(&["run", "quickstart", "--threads", threads, "--out", out.to_str().unwrap()]);
        if threads != "1" {
            assert_equal_results(&bench.result("1"), &bench.result(threads));
            let digest = run["digest"].as_str().unwrap();
            let folder = |out: &str| quickstart.path(out).join("quickstart").join(digest);
            assert_equal_results(&folder("1"), &folder(threads));
        }
    }
}
