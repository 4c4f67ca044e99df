//! How to rerun, which files there are, and how to read the page.

use crate::config::Seed;
use crate::records::{Plan, Summary};
use crate::report::wording::{escape, model};

/// The commands, and the specification.
pub(super) fn rerun(summary: &Summary, listing: &str) -> String {
    format!(
        "<section>\n<h2>How to rerun</h2>\n<p>In the folder of this page, with dido {version}:</p>\n\
         <pre><code># what it releases and costs; reads no data\n\
         dido plan spec.toml\n\
         # the whole run again, into the folder again\n\
         dido run spec.toml --out again\n\
         # this page and its pictures again, from the files beside it\n\
         dido report .</code></pre>\n\
         <p>A second run on the same data is a second release, unless it repeats the same noise: its epsilon adds up.</p>\n\
         <details class=\"printed\"><summary>The specification (spec.toml, with the names of files without their folders)</summary>\n\
         <pre><code>{listing}</code></pre>\n</details>\n</section>\n",
        version = escape(&summary.versions.dido),
        listing = escape(listing),
    )
}

/// What stands beside the page in the folder of results.
pub(super) fn files(summary: &Summary, drawn: bool) -> String {
    let again = match summary.seeds.noise {
        Seed::Number(_) => "The specification: on the same data it gives the same model, ledger and trace again.",
        Seed::Os => "The specification: running it again draws fresh noise and spends epsilon anew on the same data.",
    };
    let also = |other: &'static str, written: bool| if written { vec![other] } else { vec![] };
    let picture =
        |name: &'static str, png: &'static str, what| ([vec![name], also(png, cfg!(feature = "png"))].concat(), what);
    let graph = picture("graph.svg", "graph.png", "The graph.");
    let rows: String = [
        (vec!["spec.toml"], again),
        (
            vec!["summary.json"],
            "The numbers of this page. Its key not_covered lists the keys that the guarantee does not cover.",
        ),
        (vec!["model.json"], "The model, in every lane."),
        (vec!["ledger.json"], "Every release: the input of all accountings."),
        (
            [vec!["trace.csv"], also("trace.parquet", cfg!(feature = "parquet"))].concat(),
            "Observed rounds. Scores and distances in it are not covered by the guarantee.",
        ),
        picture("error.svg", "error.png", "The first picture of this page: not covered by the guarantee."),
        picture("distance.svg", "distance.png", "Distances: not covered by the guarantee."),
        picture("epsilon.svg", "epsilon.png", "Epsilon spent."),
        (vec!["local.json"], "The SHA-256 of the data, to notice other data. Not private: keep it to yourself."),
    ]
    .into_iter()
    .chain(drawn.then_some(graph))
    .map(|(files, what)| {
        let files: Vec<String> = files.iter().map(|file| format!("<code>{file}</code>")).collect();
        format!("<tr><th scope=\"row\">{}</th><td>{what}</td></tr>\n", files.join(", "))
    })
    .collect();
    format!("<section>\n<h2>Files</h2>\n<table class=\"facts\"><tbody>\n{rows}</tbody></table>\n</section>\n")
}

/// What the words mean.
const GLOSSARY: [(&str, &str); 9] = [
    ("Adjacency", "which two data sets the guarantee cannot tell apart, such as those that differ in one record"),
    ("Adversary", "who is assumed to look, and what they see"),
    ("Delta", "what is allowed on top of epsilon: a small probability that its bound fails"),
    (
        "Epsilon",
        "how much the releases can change what anybody believes about a record; smaller is more private, 0 tells nothing",
    ),
    ("Lane", "a repetition of the whole run with fresh noise on the same data; several show how much luck there is"),
    ("Ledger", "the list of all releases and their noise, from which epsilon is added up"),
    ("Optimum", "the best model of all records together, without privacy: what a trusted pool of the data would reach"),
    ("Release", "a value that leaves a party, with noise on it"),
    ("Sensitivity", "how far one record can move a release: the noise is measured against it"),
];

/// How to read the page, and a glossary.
pub(super) fn reading(plan: &Plan) -> String {
    let words: String = GLOSSARY.map(|(word, meaning)| format!("<dt>{word}</dt><dd>{meaning}.</dd>\n")).concat();
    format!(
        "<section>\n<h2>How to read this</h2>\n<p>Look first at the {model} between the best party alone and the \
         optimum: below the first, working together did not pay; the gap to the second is the price of privacy and of \
         stopping. Then read what the guarantee does not cover. Epsilon by several accountants is one and the same loss, \
         bounded in several ways: each bound holds, and the least one says most. How the result depends on epsilon is not \
         known from one run: a sweep over privacy.budget.epsilon shows it.</p>\n<dl>\n{words}</dl>\n</section>\n",
        model = model(plan),
    )
}
