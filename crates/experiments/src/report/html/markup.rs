//! Tables and lists, with escaped cells and headers a screen reader can use.

use super::Plot;
use crate::report::wording::escape;

/// Escaped text, with what stands between backticks as code.
pub(super) fn coded(text: &str) -> String {
    let parts: Vec<String> = escape(text).split('`').map(str::to_owned).collect();
    if parts.len().is_multiple_of(2) {
        return parts.join("`");
    }
    let part = |(k, part): (usize, String)| if k % 2 == 0 { part } else { format!("<code>{part}</code>") };
    parts.into_iter().enumerate().map(part).collect()
}

/// Labels and texts.
pub(super) fn facts(rows: &[(&str, String)]) -> String {
    let rows: String = rows
        .iter()
        .map(|(label, text)| format!("<tr><th scope=\"row\">{}</th><td>{}</td></tr>\n", escape(label), coded(text)))
        .collect();
    format!("<table class=\"facts\"><tbody>\n{rows}</tbody></table>\n")
}

/// A list below its heading, or nothing.
pub(super) fn list(heading: &str, texts: &[String]) -> String {
    if texts.is_empty() {
        return String::new();
    }
    let items: String = texts.iter().map(|text| format!("<li>{}</li>\n", escape(text))).collect();
    format!("<h3>{heading}</h3>\n<ul>\n{items}</ul>\n")
}

/// A table that would drown the page is folded on the screen; on paper it is not.
pub(super) fn folded(rows: usize, most: usize, what: &str, table: String) -> String {
    if rows <= most {
        return table;
    }
    format!("<details class=\"printed\"><summary>{rows} {what}</summary>\n{table}</details>\n")
}

/// A picture in both sizes, of which one is shown.
pub(super) fn figure(plot: &Plot<'_>) -> String {
    format!(
        "<figure>\n<div class=\"picture wide\">{}</div><div class=\"picture narrow\">{}</div><figcaption>{}</figcaption>\n</figure>\n",
        plot.wide,
        plot.narrow,
        escape(plot.caption)
    )
}

/// A table whose first column names the row; the other columns are numbers.
pub(super) fn table(caption: &str, head: &[&str], rows: &[Vec<String>]) -> String {
    let class = |column: usize| if column == 0 { "" } else { " class=\"number\"" };
    let head: String = head
        .iter()
        .enumerate()
        .map(|(k, title)| format!("<th scope=\"col\"{}>{}</th>", class(k), escape(title)))
        .collect();
    let mut body = String::new();
    for row in rows {
        body += "<tr>";
        for (k, cell) in row.iter().enumerate() {
            let (tag, scope) = if k == 0 { ("th", " scope=\"row\"") } else { ("td", "") };
            body += &format!("<{tag}{scope}{}>{}</{tag}>", class(k), escape(cell));
        }
        body += "</tr>\n";
    }
    let caption = escape(caption);
    format!(
        "<div class=\"scroll\"><table>\n<caption>{caption}</caption>\n<thead><tr>{head}</tr></thead>\n\
         <tbody>\n{body}</tbody>\n</table></div>\n"
    )
}
