//! `dido epsilon` and `dido calibrate` as a user meets them: answers, and one clear line for what has none.

mod common;

use common::{Bench, stderr};
use serde_json::Value;

fn text(bench: &Bench, line: &str) -> String {
    let output = bench.dido(&line.split(' ').collect::<Vec<_>>());
    assert!(output.status.success(), "{line}: {}", stderr(&output));
    assert!(output.stderr.is_empty(), "{line}: {}", stderr(&output));
    String::from_utf8(output.stdout).unwrap()
}

fn json(bench: &Bench, line: &str) -> Value {
    bench.json(&line.split(' ').collect::<Vec<_>>())
}

/// One line on the standard error, nothing on the standard output, exit code 2. Returns the line.
fn refusal(bench: &Bench, arguments: &[&str]) -> String {
    let output = bench.dido(arguments);
    let told = stderr(&output);
    assert_eq!(output.status.code(), Some(2), "{arguments:?}: {told}");
    assert!(output.stdout.is_empty(), "{arguments:?} printed something");
    assert_eq!(told.lines().count(), 1, "{arguments:?}: not one line:\n{told}");
    told.trim_end().strip_prefix("dido: ").expect("errors begin with the name of the command").to_owned()
}

fn keys(value: &Value) -> Vec<&str> {
    let mut keys: Vec<&str> = value.as_object().unwrap().keys().map(String::as_str).collect();
    keys.sort_unstable();
    keys
}

#[test]
fn epsilon_of_a_training_run() {
    let bench = Bench::new();
    let line = "epsilon gaussian --noise-multiplier 0.8 --rate 0.01 --sampling poisson --steps 10000 --delta 1e-5";
    let found = json(&bench, line);
    assert_eq!(found["adjacency"], "add-remove-record");
    assert!(found["pure"].is_null() && found["gdp"].is_null() && found["zcdp"].is_null());
    assert!((found["pld"]["upper"].as_f64().unwrap() - 10.0537).abs() < 2e-3, "{found}");
    assert!((found["rdp"].as_f64().unwrap() - 10.935).abs() < 2e-2, "{found}");
    assert_eq!((&found["best"]["epsilon"], &found["best"]["method"]), (&found["pld"]["upper"], &Value::from("pld")));
    assert_eq!(found["sampling"], serde_json::json!({ "kind": "poisson", "rate": 0.01 }));
    assert_eq!(keys(&found["reasons"]), ["advanced", "gdp", "pure", "zcdp"]);
    let printed = text(&bench, line);
    for part in ["10.06", "by pld", "one record added or removed", "delta = 1e-5", "does not cover Gaussian noise"] {
        assert!(printed.contains(part), "`{part}` is not in:\n{printed}");
    }
    // Every answer has the same keys for the methods.
    let laplace = json(&bench, "epsilon laplace --scales 1,2,4 --sensitivity 0.5 --delta 0");
    for method in ["pure", "advanced", "zcdp", "rdp", "gdp", "pld", "best", "delta", "releases", "reasons"] {
        assert!(found.get(method).is_some() && laplace.get(method).is_some(), "{method}");
    }
    assert!((laplace["best"]["epsilon"].as_f64().unwrap() - 0.875).abs() < 1e-12);
    let twice = json(&bench, "epsilon laplace --scale 1 --steps 1e1 --sensitivity 2 --norm l2 --dim 9 --delta 1e-6");
    assert!((twice["pure"].as_f64().unwrap() - 60.0).abs() < 1e-12 && twice["advanced"].is_number(), "{twice}");
}

#[test]
fn noise_for_a_budget() {
    let bench = Bench::new();
    let found = json(&bench, "calibrate gaussian --epsilon 1 --delta 1e-5 --sensitivity 2");
    assert!((found["sigma"].as_f64().unwrap() - 7.461_263_27).abs() < 1e-7, "{found}");
    assert!((found["noise_multiplier"].as_f64().unwrap() - 3.730_631_635).abs() < 1e-8, "{found}");
    assert_eq!((&found["method"], &found["adjacency"]), (&"gdp".into(), &"add-remove-record".into()));
    assert_eq!(found["delta"], 1e-5);
    // What is printed is the noise with all its digits.
    let printed = text(&bench, "calibrate gaussian --epsilon 1 --delta 1e-5 --sensitivity 2");
    assert!(printed.contains(&found["sigma"].to_string()), "{printed}");
    let scale = json(&bench, "calibrate laplace --epsilon 0.5 --steps 4 --norm l2 --dim 25");
    assert!((scale["scale"].as_f64().unwrap() - 40.0).abs() < 1e-9 && scale["epsilon"].as_f64().unwrap() <= 0.5);
    let many = json(&bench, "calibrate laplace --epsilon 2 --schedule 1,8");
    let scales: Vec<f64> = many["scales"].as_array().unwrap().iter().map(|x| x.as_f64().unwrap()).collect();
    assert!((scales[0] - 2.5).abs() < 1e-12 && (scales[1] - 5.0).abs() < 1e-12, "{many}");
    let sigmas = json(&bench, "calibrate gaussian --epsilon 2 --delta 1e-6 --schedule 1,4 --adjacency replace-node");
    let ratio = sigmas["sigmas"][1].as_f64().unwrap() / sigmas["sigmas"][0].as_f64().unwrap();
    assert!((ratio - 2.0).abs() < 1e-12 && sigmas["adjacency"] == "replace-node", "{sigmas}");
    let rounds = json(&bench, "calibrate rounds laplace --scale 8 --sensitivity 2 --epsilon 1");
    assert_eq!((&rounds["rounds"], &rounds["epsilon"]), (&4.into(), &1.0.into()));
}

/// The ledger of a run has the epsilon that the run reported, also by class of nodes.
#[test]
fn epsilon_of_a_ledger() {
    let bench = Bench::new();
    let run = bench.json(&["run", "experiment.toml"]);
    let file = bench.result("results").join("ledger.json");
    let file = file.to_str().unwrap();
    let found = json(&bench, &format!("epsilon ledger {file}"));
    for method in ["pure", "zcdp"] {
        let (here, there) = (found[method].as_f64().unwrap(), run["epsilon"][method].as_f64().unwrap());
        assert!((here - there).abs() <= 1e-12 * there, "{method}: {here} {there}");
    }
    assert!(found["best"]["epsilon"].as_f64().unwrap() <= found["zcdp"].as_f64().unwrap());
    let classes = found["classes"].as_array().unwrap();
    let worst = classes.iter().map(|class| class["zcdp"].as_f64().unwrap()).fold(0.0, f64::max);
    assert!((worst - found["zcdp"].as_f64().unwrap()).abs() <= 0.0 && classes[0]["releases"] == 40, "{found}");
    let nodes: usize = classes.iter().map(|class| class["nodes"].as_array().unwrap().len()).sum();
    assert_eq!((nodes, &found["adjacency"]), (3, &"replace-record".into()));
    assert!(text(&bench, &format!("epsilon ledger {file} --delta 1e-7")).contains("delta = 1e-7"));

    // Classes of unequal cost, and a release without noise: infinite, in a form that JSON has.
    let ledger = r#"{"adjacency":"replace-record","adversary":"all-messages","classes":[
        {"nodes":[0,2],"entries":[{"first":0,"last":0,"releases":1,"event":{"kind":"pure","epsilon":0.25,"adjacency":"replace-record"}}]},
        {"nodes":[1],"entries":[{"first":0,"last":0,"releases":18446744073709551615,"event":{"kind":"non-private"}}]}]}"#;
    bench.write("two.json", ledger);
    let two = json(&bench, "epsilon ledger two.json");
    assert_eq!((&two["pure"], &two["best"]["epsilon"]), (&"inf".into(), &"inf".into()));
    assert_eq!((&two["classes"][0]["pure"], &two["classes"][1]["pure"]), (&0.25.into(), &"inf".into()));
    let printed = text(&bench, "epsilon ledger two.json");
    assert!(printed.contains("infinite") && printed.contains("Nodes 0, 2: 1 releases each"), "{printed}");

    bench.write("other.json", "{\"adjacency\":\"replace-record\"}");
    bench
        .write("mixed.json", &ledger.replacen("\"adjacency\":\"replace-record\"", "\"adjacency\":\"replace-node\"", 1));
    bench.write("nobody.json", &ledger.replace("[0,2]", "[]").replace("[1]", "[]"));
    for (file, part) in [
        ("missing.json", "No such file"),
        ("other.json", "missing field"),
        ("experiment.toml", "no ledger"),
        ("mixed.json", "expected a sensitivity for"),
        ("nobody.json", "no nodes"),
    ] {
        let line = refusal(&bench, &["epsilon", "ledger", file]);
        assert!(line.starts_with(file) && line.contains(part), "{line}");
    }
}

/// Commands with all their numeric options, each at a good value.
const COMMANDS: [&str; 10] = [
    "epsilon gaussian --noise-multiplier 2 --rate 0.1 --steps 3 --delta 1e-5",
    "epsilon gaussian --noise-multiplier 2 --sampling without-replacement --batch 2 --population 10 --steps 3 --delta 1e-5",
    "epsilon laplace --scale 2 --steps 3 --sensitivity 1 --norm l2 --dim 2 --delta 1e-5 --rate 0.1",
    "epsilon laplace --scales 2 --sensitivity 1 --delta 1e-5",
    "epsilon subsampled-dda --nodes 10 --iota 0.5 --records 10 --sigma 9 --lipschitz 1 --rounds 3 --delta 1e-5",
    "calibrate gaussian --epsilon 1 --delta 1e-5 --sensitivity 1 --rate 0.1 --steps 3",
    "calibrate gaussian --epsilon 1 --delta 1e-5 --schedule 1",
    "calibrate laplace --epsilon 1 --delta 1e-5 --sensitivity 1 --norm l2 --dim 2 --rate 0.1 --steps 3",
    "calibrate laplace --epsilon 1 --schedule 1",
    "calibrate rounds laplace --scale 9 --sensitivity 1 --norm l2 --dim 2 --epsilon 1 --delta 1e-5 --rate 0.5",
];

#[test]
fn every_bad_number_gets_one_line_that_names_its_option() {
    let bench = Bench::new();
    let (mut asked, mut answered) = (0, 0);
    for command in COMMANDS {
        let good: Vec<&str> = command.split(' ').collect();
        assert!(bench.dido(&good).status.success(), "{command}");
        for place in 0..good.len() {
            let option = good[place];
            if !option.starts_with("--") || ["--sampling", "--norm"].contains(&option) {
                continue;
            }
            for bad in ["nan", "inf", "-1", "0", "1e400", "abc", ""] {
                let mut arguments = good.clone();
                arguments[place + 1] = bad;
                asked += 1;
                let output = bench.dido(&arguments);
                if output.status.success() {
                    // Zero makes sense in some places; no number but 0 may pass.
                    assert!(bad == "0" && !output.stdout.is_empty(), "{arguments:?} was answered");
                    let told = String::from_utf8(output.stdout).unwrap();
                    assert!(!told.contains("NaN"), "{arguments:?}: {told}");
                    answered += 1;
                } else {
                    let line = refusal(&bench, &arguments);
                    assert!(line.contains(option), "{arguments:?}: {option} is not in: {line}");
                }
            }
        }
    }
    // Rates, steps, rounds, batches of 0, and delta 0 where Laplace noise is pure.
    assert!(asked > 300 && answered > 5 && answered < 20, "{asked} {answered}");
}

#[test]
fn what_has_no_answer_gets_one_line() {
    let bench = Bench::new();
    let budget = "calibrate gaussian --epsilon 1 --delta 1e-5";
    for (line, part) in [
        ("epsilon gaussian --noise-multiplier 1 --delta 1e-5", "--steps"),
        (
            "epsilon gaussian --noise-multiplier 1 --steps 2.5 --delta 1e-5",
            "'2.5' for '--steps <T>': must be a whole number",
        ),
        ("epsilon gaussian --noise-multiplier 1 --steps 1 --delta 0", "--delta 0"),
        ("epsilon gaussian --noise-multiplier 1 --steps 1 --delta 1", "'--delta <D>': must be at least 0 and below 1"),
        ("epsilon gaussian --noise-multiplier 1 --steps 1 --delta 0.1 --rate 1.1", "'--rate <Q>'"),
        ("epsilon gaussian --noise-multiplier 1 --steps 1 --delta 0.1 --sampling poisson", "--rate"),
        (
            "epsilon gaussian --noise-multiplier 1 --steps 1 --delta 0.1 --rate 0.3 --sampling one-of-q",
            "--population q",
        ),
        ("epsilon gaussian --noise-multiplier 1 --steps 1 --delta 0.1 --rate 0.3 --batch 2", "--batch"),
        ("epsilon gaussian --noise-multiplier 1 --steps 1 --delta 0.1 --rate 0.3 --sampling shuffled", "shuffled"),
        (
            "epsilon gaussian --noise-multiplier 1 --steps 1 --delta 0.1 --rate 0.3 --adjacency replace-record",
            "--adjacency",
        ),
        ("epsilon gaussian --noise-multiplier 1 --steps 1 --delta 0.1 --adjacency both", "--adjacency"),
        ("epsilon laplace --sensitivity 1 --delta 0", "--scale"),
        ("epsilon laplace --scale 1 --sensitivity 1 --delta 0", "--steps"),
        ("epsilon laplace --scale 1 --scales 1 --steps 1 --sensitivity 1 --delta 0", "--scale"),
        ("epsilon laplace --scales 1,2 --steps 3 --sensitivity 1 --delta 0", "--steps 3: there are 2 --scales"),
        ("epsilon laplace --scales 1,,2 --sensitivity 1 --delta 0", "--scales"),
        ("epsilon laplace --scale 1 --steps 1 --sensitivity 1 --norm l2 --delta 0", "--dim"),
        ("epsilon laplace --scale 1 --steps 1 --sensitivity 1 --norm linf --delta 0", "--norm"),
        (
            "epsilon subsampled-dda --nodes 9 --iota 2 --records 9 --sigma 1 --lipschitz 1 --rounds 1 --delta 0.1",
            "--iota",
        ),
        (
            "epsilon subsampled-dda --nodes 9 --iota 1 --records 9 --sigma 1 --lipschitz 1 --rounds 5e9 --delta 0.1",
            "--rounds",
        ),
        ("epsilon exponential", "exponential"),
        ("calibrate gaussian --epsilon 1", "--delta"),
        ("calibrate gaussian --epsilon 1 --delta 1e-5 --schedule 1,2 --steps 2", "--schedule"),
        (
            "calibrate gaussian --epsilon 1 --delta 1e-5 --rate 1e-7 --steps 10",
            "--delta 0.00001: a record is in a sample with probability 1e-6 only",
        ),
        ("calibrate gaussian --epsilon 1 --delta 1e-5 --sensitivity 1e308", "--epsilon 1"),
        ("calibrate laplace --epsilon 1e-300 --sensitivity 1e300", "--epsilon"),
        ("calibrate laplace --epsilon 1e308 --sensitivity 1e-300", "--epsilon"),
        ("calibrate rounds gaussian --noise-multiplier 1 --epsilon 1", "--delta 0"),
    ] {
        let told = refusal(&bench, &line.split(' ').collect::<Vec<_>>());
        assert!(told.contains(part), "{line}: `{part}` is not in: {told}");
    }
    assert!(bench.dido(&budget.split(' ').collect::<Vec<_>>()).status.success());
    // As of every other command.
    assert_eq!(bench.dido(&["plan"]).status.code(), Some(2));
}

/// Far out, where numbers end: an answer within bounded time, or a line; nothing that is not a number.
#[test]
fn extremes_are_answered() {
    let bench = Bench::new();
    for line in [
        "epsilon gaussian --noise-multiplier 1e-300 --steps 1 --delta 1e-5",
        "epsilon gaussian --noise-multiplier 1e300 --steps 18446744073709551615 --delta 1e-300",
        "epsilon gaussian --noise-multiplier 1e-9 --rate 1e-9 --steps 1000000 --delta 1e-18",
        "epsilon gaussian --noise-multiplier 1 --rate 1e-300 --sampling without-replacement --steps 1000000 --delta 1e-5",
        "epsilon gaussian --noise-multiplier 1 --sampling one-of-q --population 9223372036854775807 --steps 5 --delta 1e-5",
        "epsilon gaussian --noise-multiplier 1 --steps 0 --delta 1e-5",
        "epsilon laplace --scale 1e-308 --steps 18446744073709551615 --sensitivity 1e308 --delta 0",
        "epsilon laplace --scale 1 --steps 1 --sensitivity 1 --norm l2 --dim 18446744073709551615 --delta 0.999",
        "epsilon subsampled-dda --nodes 1e15 --iota 1e-9 --records 1e15 --sigma 1e-3 --lipschitz 1e3 --rounds 4e9 --delta 1e-5",
        "calibrate gaussian --epsilon 1e-12 --delta 1e-12 --steps 18446744073709551615",
        "calibrate gaussian --epsilon 1e300 --delta 1e-5",
        "calibrate laplace --epsilon 1e-9 --delta 1e-9 --steps 1000000",
        "calibrate rounds laplace --scale 1e300 --sensitivity 1e-300 --epsilon 1 --delta 1e-5",
        "calibrate rounds gaussian --noise-multiplier 1e-3 --epsilon 1 --delta 1e-5",
    ] {
        let found = json(&bench, line).to_string();
        assert!(!found.contains("NaN") && !found.contains("-inf"), "{line}: {found}");
    }
    let none = json(&bench, "epsilon gaussian --noise-multiplier 1 --steps 0 --delta 1e-5");
    assert_eq!((&none["best"]["epsilon"], &none["pure"]), (&0.0.into(), &0.0.into()));
    let endless = json(&bench, "epsilon gaussian --noise-multiplier 1e-300 --steps 1 --delta 1e-5");
    assert_eq!(endless["best"]["epsilon"], "inf");
    let most = json(&bench, "calibrate rounds laplace --scale 1e300 --sensitivity 1e-300 --epsilon 1 --delta 1e-5");
    assert_eq!(most["rounds"], 1_u64 << 40);
}
