//! Names that are misspelt, values of a wrong type and keys that are missing, anywhere in a file: each by its own path.

mod common;

use common::Bench;

#[test]
fn a_misspelt_name_is_told_with_the_one_that_was_meant() {
    let bench = Bench::new();
    for (set, path, meant) in [
        ("lnes=3", "`lnes`", "unknown field `lnes`, did you mean `lanes`?"),
        ("algoritm.kind=dgd", "`algoritm`", "did you mean `algorithm`?"),
        ("privacy.bugdet.epsilon=1", "`privacy.bugdet`", "did you mean `budget`?"),
        ("data.held_out.fracton=0.1", "`data.held_out.fracton`", "did you mean `fraction`?"),
        // Below one table with a kind, and below several.
        ("algorithm.avarage_from=0", "`algorithm.avarage_from`", "did you mean `average_from`?"),
        ("algorithm.set.raduis=1", "`algorithm.set.raduis`", "unknown field `raduis`, did you mean `radius`?"),
        ("data.features.1.mx=3", "`data.features[1].mx`", "did you mean `max`?"),
        (
            "algorithm.set={ kind = 'intersection', sets = [{ kind = 'intersection', sets = [{ kind = 'l2-ball', raduis = 1 }] }] }",
            "`algorithm.set.sets[0].sets[0].raduis`",
            "did you mean `radius`?",
        ),
        // Names in place of keys.
        ("graph.kind=rign", "`graph.kind`", "unknown value `rign`, did you mean `ring`?"),
        ("graph={ knid = 'ring' }", "`graph.knid`", "unknown field `knid`, did you mean `kind`?"),
        ("graph.weights=metropolys", "`graph.weights`", "did you mean `metropolis`?"),
        ("graph.sequence.kind=activaton", "`graph.sequence.kind`", "did you mean `activation`?"),
        ("algorithm.kind=projected-dg", "`algorithm.kind`", "did you mean `projected-dgd`?"),
        ("algorithm.step.kind=constnat", "`algorithm.step.kind`", "did you mean `constant`?"),
        ("privacy.noise.kind=calibratd", "`privacy.noise.kind`", "did you mean `calibrated`?"),
        ("privacy.noise.mechanism=guassian", "`privacy.noise.mechanism`", "did you mean `gaussian`?"),
        ("privacy.adjacency=replace-recrod", "`privacy.adjacency`", "did you mean `replace-record`?"),
        ("privacy.adversary={ neighbor = 1 }", "`privacy.adversary.neighbor`", "did you mean `neighbour`?"),
        ("privacy.accountant=zdcp", "`privacy.accountant`", "did you mean `zcdp`?"),
        ("objective.loss.kind=hubre", "`objective.loss.kind`", "did you mean `huber`?"),
        ("objective.regulariser={ kind = 'l1', lamda = 1 }", "`objective.regulariser.lamda`", "did you mean `lambda`?"),
        ("data.source=builtin:spambse", "`data.source`", "did you mean `spambase`?"),
        ("stop={ kind = 'consensus', bellow = 1 }", "`stop.bellow`", "did you mean `below`?"),
    ] {
        for command in ["plan", "run"] {
            let line = bench.refusal(&[command, "experiment.toml", "--set", set]);
            assert!(line.contains(path) && line.contains(meant), "{set}: {line}");
        }
    }
    assert!(bench.refusal(&["plan", "quickstrat"]).contains("did you mean `quickstart`?"));
    assert!(bench.refusal(&["compare", "tabel1"]).contains("did you mean `table1`?"));
    assert!(bench.refusal(&["topology", "rign", "--nodes", "5"]).contains("did you mean `ring`?"));
    let weights = bench.refusal(&["topology", "ring", "--nodes", "5", "--weights", "sinkhron"]);
    assert!(weights.contains("did you mean `sinkhorn`?"), "{weights}");
    bench.write("experiment.toml", &common::TOML.replace("\"age\"", "\"aeg\""));
    let line = bench.refusal(&["run", "experiment.toml"]);
    assert!(line.contains("no column \"aeg\"") && line.contains("did you mean `age`?"), "{line}");
}

#[test]
fn a_word_that_is_near_no_name_gets_the_list() {
    let bench = Bench::new();
    for (set, parts) in [
        (
            "algorithm.colour=red",
            &["`algorithm.colour`", "unknown field `colour`, expected one of `average_from`, `kind`, `set`"][..],
        ),
        ("algorithm.kind=magic", &["`algorithm.kind`", "expected one of `dgd`, `projected-dgd`"]),
        ("graph.kind=donut", &["`graph.kind`", "`ring`, `path`"]),
        ("algorithm.set={ kind = 'whole' }", &["`algorithm.set.kind`", "`l2-ball`"]),
    ] {
        let line = bench.refusal(&["plan", "experiment.toml", "--set", set]);
        assert!(parts.iter().all(|part| line.contains(part)), "{set}: {line}");
    }
}

#[test]
fn a_wrong_type_is_named_where_it_is_and_in_the_words_of_the_file() {
    let bench = Bench::new();
    for (set, expected) in [
        ("rounds=4.5", "`rounds`: invalid type: floating point `4.5`, expected a whole number, not negative"),
        ("rounds=99999999999", "`rounds`: 99999999999 is not a whole number from 0 to 4294967295"),
        ("name=3", "`name`: invalid type: integer `3`, expected a string"),
        ("data=3", "`data`: invalid type: integer `3`, expected a table such as { row_norm = 1.0, records = [...], "),
        ("data.records=33", "`data.records`: invalid type: integer `33`, expected a list"),
        ("data.records=[33, true]", "`data.records[1]`: invalid type: boolean `true`, expected a whole number"),
        ("data.features.1.max=[1]", "`data.features[1].max`: invalid type: a list, expected a number"),
        ("data.features.2.levels=[\"m\"]", "`data.features[2].levels`: a list of 1, expected one of 2"),
        ("algorithm.set.radius=wide", "`algorithm.set.radius`: invalid type: string \"wide\", expected a number"),
        (
            "algorithm.step=0.1",
            "`algorithm.step`: invalid type: floating point `0.1`, expected a table such as { kind = \"constant\", c = 1.0 }",
        ),
        ("algorithm.step.c={}", "`algorithm.step.c`: invalid type: a table, expected a number"),
        ("algorithm.kind=3", "`algorithm.kind`: invalid type: integer `3`, expected one of `dgd`"),
        ("privacy.noise.kind=2020-01-01", "`privacy.noise.kind`: invalid type: a date, expected one of `none`"),
        ("privacy.adversary=neighbour", "`privacy.adversary`: expected { neighbour = ... }"),
        ("privacy.adversary={ neighbour = 1.5 }", "`privacy.adversary.neighbour`: invalid type: floating point `1.5`"),
        (
            "privacy.adversary={}",
            "`privacy.adversary`: invalid type: a table, expected \"all-messages\", or { neighbour = 1 }",
        ),
        (
            "privacy.noise={ kind = 'discrete-laplace', scale = { kind = 'constant', c = 1 }, grid = 0.5 }",
            "`privacy.noise.grid`: invalid type: floating point `0.5`, expected a whole number",
        ),
        (
            "graph.sequence={ kind = 'node-outages', outages = [{ node = 0, first = -1, last = 2 }] }",
            "`graph.sequence.outages[0].first`: -1 is not",
        ),
        (
            "graph.sequence={ kind = 'periodic', rounds = [[[0, 1, 2]]] }",
            "`graph.sequence.rounds[0][0]`: a list of 3, expected one of 2",
        ),
        ("seed=dice", "`seed`: invalid type: string \"dice\", expected a whole number, not negative, or \"os\""),
    ] {
        let line = bench.refusal(&["plan", "experiment.toml", "--set", set]);
        assert!(line.contains(expected), "{set}: `{expected}` is not in: {line}");
    }
}

#[test]
fn a_missing_key_is_named_with_its_table() {
    let bench = Bench::new();
    for (set, expected) in [
        ("algorithm={}", "`algorithm`: missing field `kind`, one of `dgd`"),
        ("algorithm={ kind = 'dgd' }", "`algorithm`: missing field `step`"),
        ("algorithm.step={ kind = 'power', c = 1, d = 1 }", "`algorithm.step`: missing field `e`"),
        ("data.features=[{ kind = 'numeric', column = 'age', min = 0 }]", "`data.features[0]`: missing field `max`"),
        ("privacy.noise={ kind = 'gaussian' }", "`privacy.noise`: missing field `sigma`"),
        ("privacy.budget={ epsilon = 1 }", "`privacy.budget`: missing field `delta`"),
    ] {
        let line = bench.refusal(&["plan", "experiment.toml", "--set", set]);
        assert!(line.contains(expected), "{set}: `{expected}` is not in: {line}");
    }
}

#[test]
fn a_comparison_is_checked_as_an_experiment_is() {
    let bench = Bench::new();
    let base = "name = \"x\"\nbase = \"experiment.toml\"\nepsilons = [1, 2]\n";
    for (rest, expected) in [
        ("entires = []\n", "`entires`: unknown field `entires`, did you mean `entries`?"),
        (
            "[[entries]]\nname = \"a\"\nset = []\nordr = \"1\"\n",
            "`entries[0].ordr`: unknown field `ordr`, did you mean `order`?",
        ),
        ("[[entries]]\nname = \"a\"\nset = [\"algorithm.set.raduis=1\"]\n", "did you mean `radius`?"),
    ] {
        bench.write("two.toml", &format!("{base}{rest}"));
        let line = bench.refusal(&["compare", "two.toml"]);
        assert!(line.contains(expected), "`{expected}` is not in: {line}");
    }
}

/// Whatever is wrong with the call itself.
#[test]
fn every_bad_call_ends_with_code_2() {
    let bench = Bench::new();
    for (arguments, part) in [
        (&["pln", "quickstart"][..], "unrecognized subcommand"),
        (&["plan"], "required arguments"),
        (&["plan", "nowhere.toml"], "neither a preset"),
        (&["run", "experiment.toml", "--threads", "0"], "--threads 0: out of range, which is 1 to 1024"),
        (&["run", "experiment.toml", "--checkpoint-seconds=-1"], "out of range, which is 0 to"),
        (&["audit", "experiment.toml", "--runs", "1"], "--runs 1: out of range, which is 2 to"),
        (&["audit", "experiment.toml", "--victim", "99"], "--victim 99: out of range, which is 0 to 2, the parties"),
        (&["audit", "experiment.toml", "--confidence", "2"], "--confidence 2: out of range, which is 0.5 to 1"),
        (&["compare", "nowhere.toml"], "neither a preset"),
        (&["topology", "ring"], "needs the option nodes"),
        (&["network-privacy", "ring", "--nodes", "4", "--rounds", "2", "--sigma=-1"], "-1"),
        (&["epsilon", "ledger", "nowhere.json", "--delta", "1e-5"], "nowhere.json"),
        (&["schema", "--jsn"], "unexpected argument"),
        (
            &[
                "plan",
                "experiment.toml",
                "--set",
                "privacy.noise={ kind = 'laplace', scale = { kind = 'constant', c = 0.01 } }",
            ],
            "too small",
        ),
        (&["run", "experiment.toml", "--set", "data.source=nowhere.csv"], "nowhere.csv"),
    ] {
        let line = bench.refusal(arguments);
        assert!(line.contains(part), "{arguments:?}: {line}");
    }
    assert!(!bench.path("results").exists());
}
