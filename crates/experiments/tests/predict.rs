//! `dido predict`: the model of a run gives the predictions of the run, to the bit, and the scores are those of an independent
//! computation.

mod common;

use std::fs;

use common::{Bench, TOML, clinics, stderr};
use dido_problems::partition::hold_out;
use serde_json::Value;

/// The lines of [`clinics`] that the run keeps for testing, with the columns in another order and one that no model knows.
fn held_out(with_target: bool) -> String {
    let all = clinics();
    let lines: Vec<&str> = all.lines().skip(1).collect();
    let (_, held_out) = hold_out(lines.len(), 0.2, 1).unwrap();
    let head = if with_target { "days,remark,sex,age\n" } else { "remark,sex,age\n" };
    let line = |&k: &usize| {
        let cells: Vec<&str> = lines[k].split(',').collect();
        let target = if with_target { format!("{},", cells[3]) } else { String::new() };
        format!("{target}\"none, really\",{},{}\n", cells[2], cells[1])
    };
    head.to_owned() + &held_out.iter().map(line).collect::<String>()
}

fn numbers(value: &Value) -> Vec<f64> {
    value.as_array().unwrap().iter().map(|v| v.as_f64().unwrap()).collect()
}

fn measured(run: &Value, metric: &str, lane: usize) -> f64 {
    let all = run["measured"].as_array().unwrap();
    all.iter().find(|m| m["metric"] == metric).unwrap()["values"][lane].as_f64().unwrap()
}

/// A bench with a finished run of two lanes, its summary and the path of its model.
fn finished(toml: &str) -> (Bench, Value, String) {
    let bench = Bench::with(toml, &clinics());
    let run = bench.json(&["run", "experiment.toml", "--set", "lanes=2"]);
    let model = format!("{}/model.json", run["results"].as_str().unwrap());
    bench.write("held_out.csv", &held_out(true));
    bench.write("new.csv", &held_out(false));
    (bench, run, model)
}

#[test]
fn the_model_of_a_run_repeats_its_scores_to_the_bit() {
    let (bench, run, model) = finished(TOML);
    for lane in [0, 1] {
        let number = lane.to_string();
        let found = bench.json(&["predict", &model, "held_out.csv", "--lane", &number]);
        for score in found["scores"].as_array().unwrap() {
            let name = score["metric"].as_str().unwrap();
            let here = score["values"][0].as_f64().unwrap();
            assert_eq!(here.to_bits(), measured(&run, &format!("held_out_{name}"), lane).to_bits(), "{name}");
        }
        assert_eq!(found["scores"].as_array().unwrap().len(), 3);
        // Without the target the predictions are the same, and there is no score.
        let blind = bench.json(&["predict", &model, "new.csv", "--lane", &number]);
        assert_eq!(blind["predictions"], found["predictions"]);
        assert_eq!(blind["scores"], Value::from(Vec::<Value>::new()));
        let table = bench.dido(&["predict", &model, "new.csv", "--lane", &number]);
        let text = String::from_utf8(table.stdout).unwrap();
        let (head, lines) = text.split_once('\n').unwrap();
        let printed: Vec<f64> = lines.lines().map(|line| line.parse().unwrap()).collect();
        assert_eq!((head, printed), ("prediction", numbers(&found["predictions"])));
    }
    let line = bench.refusal(&["predict", &model, "new.csv", "--lane", "2"]);
    assert!(line.contains("no lane 2") && line.contains("2 lanes"), "{line}");
}

/// From the file alone: the coefficients in original units times the raw values.
#[test]
fn predictions_and_scores_follow_from_the_file_of_the_model() {
    let (bench, run, model) = finished(TOML);
    let file: Value = serde_json::from_str(&fs::read_to_string(bench.path(&model)).unwrap()).unwrap();
    assert_eq!(file["terms"], Value::from(vec!["intercept", "age", "sex=f"]));
    let beta = numbers(&file["coefficients"][0]);
    let found = bench.json(&["predict", &model, "held_out.csv"]);
    let (mut squares, mut total) = (0.0, 0.0);
    let text = held_out(true);
    let rows: Vec<(f64, f64)> = text
        .lines()
        .skip(1)
        .map(|line| {
            let cells: Vec<&str> = line.rsplit(',').collect();
            let (age, sex): (f64, f64) = (cells[0].parse().unwrap(), f64::from(u8::from(cells[1] == "f")));
            (line.split(',').next().unwrap().parse().unwrap(), beta[0] + beta[1] * age + beta[2] * sex)
        })
        .collect();
    let mean = rows.iter().map(|(y, _)| y).sum::<f64>() / rows.len() as f64;
    for ((y, expected), p) in rows.iter().zip(numbers(&found["predictions"])) {
        assert!((expected - p).abs() < 1e-12 * 20.0, "{expected}, {p}");
        squares += (y - expected).powi(2);
        total += (y - mean).powi(2);
    }
    let close = |metric: &str, expected: f64| {
        let found = measured(&run, metric, 0);
        assert!((found / expected - 1.0).abs() < 1e-9, "{metric}: {found} is not {expected}");
    };
    close("held_out_r2", 1.0 - squares / total);
    close("held_out_rmse", (squares / rows.len() as f64).sqrt());
    // Half the square of the encoded error, of which a unit is 10 days.
    close("held_out_loss", squares / rows.len() as f64 / 200.0);
    let privacy = &file["privacy"];
    assert!(privacy["private"] == true && privacy["lanes"] == 2, "{privacy}");
    let statement = privacy["statement"].as_str().unwrap();
    assert!(statement.contains("sees all messages") && statement.contains("one record replaced"), "{statement}");
    assert!(privacy["epsilon"].as_f64() > privacy["epsilon_of_one_lane"].as_f64(), "{privacy}");
}

#[test]
fn classes_have_labels_and_scores() {
    let classes = "target = { column = \"sex\", levels = [\"m\", \"f\"] }";
    let (data, _) = TOML.split_once("[graph]").unwrap();
    let toml =
        data.replace("target = { column = \"days\", min = 0, max = 20, center = 10, scale = 10 }", classes).replace(
            "{ kind = \"two-level\", column = \"sex\", levels = [\"m\", \"f\"] }",
            "{ kind = \"numeric\", column = \"days\", min = 0, max = 20, center = 10, scale = 10 }",
        ) + "[graph]\nkind = \"ring\"\n[objective]\nloss = { kind = \"logistic\" }\n[algorithm]\nkind = \"pdop\"\n\
           set = { kind = \"l2-ball\", radius = 3.0 }\nstep = { kind = \"constant\", c = 0.5 }\n[privacy]\n\
           adjacency = \"replace-record\"\nnoise = { kind = \"none\" }\n";
    let (bench, run, model) = finished(&toml);
    let found = bench.json(&["predict", &model, "held_out.csv"]);
    for name in ["loss", "accuracy", "auc"] {
        let score = found["scores"].as_array().unwrap().iter().find(|score| score["metric"] == name).unwrap();
        let here = score["values"][0].as_f64().unwrap();
        assert_eq!(here.to_bits(), measured(&run, &format!("held_out_{name}"), 0).to_bits(), "{name}");
    }
    // Accuracy and AUC by their definitions, from the table that is printed.
    let table = bench.dido(&["predict", &model, "held_out.csv", "--out", "p.csv"]);
    assert!(table.stdout.is_empty() && stderr(&table).contains("accuracy: "), "{}", stderr(&table));
    let text = fs::read_to_string(bench.path("p.csv")).unwrap();
    assert!(text.starts_with("prediction,score\n"));
    let said: Vec<(&str, f64)> =
        text.lines().skip(1).map(|line| line.split_once(',').unwrap()).map(|(c, s)| (c, s.parse().unwrap())).collect();
    let truth = held_out(true);
    let truth: Vec<&str> = truth.lines().skip(1).map(|line| line.rsplit(',').nth(1).unwrap()).collect();
    assert!(said.len() == truth.len() && said.iter().all(|(class, score)| (*class == "f") == (*score > 0.0)));
    let right = said.iter().zip(&truth).filter(|((class, _), truth)| class == *truth).count();
    assert_eq!(measured(&run, "held_out_accuracy", 0).to_bits(), (right as f64 / truth.len() as f64).to_bits());
    let of =
        |class: &str| said.iter().zip(&truth).filter(|(_, t)| **t == class).map(|((_, s), _)| *s).collect::<Vec<f64>>();
    let (positive, negative) = (of("f"), of("m"));
    let wins: f64 = positive
        .iter()
        .flat_map(|p| {
            negative.iter().map(move |q| {
                if p > q {
                    1.0
                } else if p < q {
                    0.0
                } else {
                    0.5
                }
            })
        })
        .sum();
    let auc = wins / (positive.len() * negative.len()) as f64;
    assert!((measured(&run, "held_out_auc", 0) - auc).abs() < 1e-15, "{auc}");
    let file: Value = serde_json::from_str(&fs::read_to_string(bench.path(&model)).unwrap()).unwrap();
    assert_eq!(file["privacy"]["private"], false);
    assert!(file["privacy"]["statement"].as_str().unwrap().starts_with("NON-PRIVATE"));

    // Nothing is overwritten by chance, and a file of one class has no AUC.
    let line = bench.refusal(&["predict", &model, "held_out.csv", "--out", "p.csv"]);
    assert!(line.contains("p.csv") && line.contains("--force"), "{line}");
    bench.write("one.csv", "age,days,sex\n30,3,f\n40,4,f\n");
    let one = bench.json(&["predict", &model, "one.csv", "--out", "p.csv", "--force"]);
    let auc = one["scores"].as_array().unwrap().iter().find(|score| score["metric"] == "auc").unwrap().clone();
    assert!(auc["values"][0].is_null() && auc["undefined"].as_str().unwrap().contains("both classes"), "{auc}");
    assert_eq!(fs::read_to_string(bench.path("p.csv")).unwrap().lines().count(), 3);
}

#[test]
fn what_is_not_declared_is_moved_or_refused() {
    let (bench, _, model) = finished(TOML);
    bench.write("old.csv", "sex,age\nf,80\nm,20\n");
    bench.write("older.csv", "sex,age\nf,180\nm,-3\n");
    let [inside, outside] = ["old.csv", "older.csv"].map(|file| bench.json(&["predict", &model, file]));
    assert_eq!(inside["predictions"], outside["predictions"]);
    assert_eq!(outside["moved"], serde_json::json!([{ "column": "age", "count": 2 }]));
    assert!(stderr(&bench.dido(&["predict", &model, "older.csv"])).contains("2 values of `age` moved"));
    for (file, parts) in [
        ("sex,age\nf,50\nx,50\n", &["bad.csv, line 3", "sex", "x"][..]),
        ("sex,age\nf,fifty\n", &["bad.csv, line 2", "age", "fifty"]),
        ("sex,age\nf,nan\n", &["bad.csv, line 2", "age"]),
        ("sex\nf\n", &["bad.csv", "\"age\""]),
        ("sex,age\n", &["bad.csv", "no data rows"]),
        ("sex,age,days\nf,50,\n", &["bad.csv, line 2", "days"]),
    ] {
        bench.write("bad.csv", file);
        let line = bench.refusal(&["predict", &model, "bad.csv", "--out", "never.csv"]);
        assert!(parts.iter().all(|part| line.contains(part)), "{file}: {line}");
        assert!(!bench.path("never.csv").exists());
    }
    let whole = fs::read_to_string(bench.path(&model)).unwrap();
    let changed = |path: &[&str], value: Value| {
        let mut file: Value = serde_json::from_str(&whole).unwrap();
        *path.iter().fold(&mut file, |at, key| match key.parse::<usize>() {
            Ok(k) => &mut at[k],
            Err(_) => &mut at[*key],
        }) = value;
        file.to_string()
    };
    for (file, parts) in [
        ("{".to_owned(), &["m.json, line 1"][..]),
        ("{}".to_owned(), &["m.json", "`format`", "no model"]),
        (whole.clone() + "x", &["m.json", "more after"]),
        (changed(&["version"], 2.into()), &["`version`", "version 1", "not 2"]),
        (changed(&["encoded"], Value::Array(vec![])), &["`encoded`", "no model"]),
        (changed(&["encoded", "1"], vec![1.0].into()), &["`encoded[1]`", "1 coefficients for 3"]),
        (changed(&["data", "features", "1", "min"], 1000.into()), &["m.json", "age", "in order"]),
        (changed(&["data", "features", "1", "kind"], "cubic".into()), &["m.json", "data.features", "cubic"]),
        (changed(&["data", "target", "scale"], 0.into()), &["m.json", "days", "positive"]),
    ] {
        bench.write("m.json", &file);
        let line = bench.refusal(&["predict", "m.json", "old.csv"]);
        assert!(parts.iter().all(|part| line.contains(part)), "{parts:?} are not in {line}");
    }
}

#[test]
fn sparse_files_are_predicted_too() {
    let (start, rest) = TOML.split_once("row_norm").unwrap();
    let (_, rest) = rest.split_once("[graph]").unwrap();
    let data = "row_norm = 1.0\nrecords = [3, 3, 2]\nheld_out = { fraction = 0.2, seed = 1 }\n\
                partition = { kind = \"contiguous\" }\n\
                target = { min = 0, max = 20, center = 10, scale = 10 }\nsvmlight = { features = 3, scale = 2 }\n\n[graph]";
    let bench = Bench::with(&format!("{start}{data}{rest}").replace("clinics.csv", "rows.svm"), &clinics());
    let lines = ["1 1:2", "2 2:1", "3 1:1 3:-1", "19 3:2", "25 1:-1", "6", "7 2:9", "8 1:1 2:1", "9 3:1", "10 1:1"];
    bench.write("rows.svm", &(lines.join("\n") + "\n"));
    let run = bench.json(&["run", "experiment.toml"]);
    let model = format!("{}/model.json", run["results"].as_str().unwrap());
    let (_, held_out) = hold_out(lines.len(), 0.2, 1).unwrap();
    let held_out: Vec<&str> = held_out.iter().map(|&k| lines[k]).collect();
    bench.write("held_out.svm", &(held_out.join("\n") + "\n"));
    let found = bench.json(&["predict", &model, "held_out.svm"]);
    for score in found["scores"].as_array().unwrap() {
        let name = format!("held_out_{}", score["metric"].as_str().unwrap());
        assert_eq!(score["values"][0].as_f64().unwrap().to_bits(), measured(&run, &name, 0).to_bits(), "{name}");
    }
    // Features that are counted from 0 are so in what is predicted, too: the file of the model says it.
    let from_zero = |line: &&str| {
        let cell = |cell: &str| match cell.split_once(':') {
            Some((index, value)) => format!("{}:{value}", index.parse::<usize>().unwrap() - 1),
            None => cell.to_owned(),
        };
        line.split(' ').map(cell).collect::<Vec<_>>().join(" ") + "\n"
    };
    bench.write("rows.svm", &lines.iter().map(from_zero).collect::<String>());
    let zero = bench.json(&["run", "experiment.toml", "--set", "data.svmlight.index_base=0"]);
    assert_eq!(zero["coefficients"], run["coefficients"]);
    let zero_model = format!("{}/model.json", zero["results"].as_str().unwrap());
    bench.write("zero.svm", &held_out.iter().map(from_zero).collect::<String>());
    assert_eq!(bench.json(&["predict", &zero_model, "zero.svm"])["predictions"], found["predictions"]);

    let bare: Vec<&str> = vec!["1:2 3:1", "2:1"];
    bench.write("bare.svm", &(bare.join("\n") + "\n"));
    let blind = bench.json(&["predict", &model, "bare.svm"]);
    assert_eq!(blind["predictions"].as_array().unwrap().len(), 2);
    for (text, parts) in [
        ("1:2 3:1\n4 2:1\n", &["mixed.svm, line 2", "earlier lines have none"][..]),
        ("4 1:2 3:1\n2:1\n", &["mixed.svm, line 2", "earlier lines have one"]),
    ] {
        bench.write("mixed.svm", text);
        let line = bench.refusal(&["predict", &model, "mixed.svm"]);
        assert!(parts.iter().all(|part| line.contains(part)), "{line}");
    }
}
