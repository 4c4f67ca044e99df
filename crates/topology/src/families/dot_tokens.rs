//! The words and signs of the DOT language.

use std::fmt;
use std::iter::Peekable;
use std::str::Chars;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Token {
    /// A name, a number or a keyword.
    Word(String),
    /// A name in quotes, which is never a keyword.
    Quoted(String),
    /// `--`
    Edge,
    /// `->`
    Arrow,
    /// One of `{ } [ ] = ; , :`
    Sign(char),
}

impl fmt::Display for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Word(word) => write!(f, "'{word}'"),
            Self::Quoted(text) => write!(f, "'\"{text}\"'"),
            Self::Edge => write!(f, "'--'"),
            Self::Arrow => write!(f, "'->'"),
            Self::Sign(sign) => write!(f, "'{sign}'"),
        }
    }
}

/// The tokens with their lines (from 1), or the line of what is none and what is wrong with it.
pub(super) fn tokens(text: &str) -> Result<Vec<(usize, Token)>, (usize, String)> {
    let mut reader = Reader { chars: text.chars().peekable(), line: 1 };
    let mut tokens = Vec::new();
    loop {
        reader.skip_space_and_comments()?;
        let line = reader.line;
        let Some(c) = reader.next() else { return Ok(tokens) };
        let token = match c {
            '{' | '}' | '[' | ']' | '=' | ';' | ',' | ':' => Token::Sign(c),
            '-' if reader.next_if('-') => Token::Edge,
            '-' if reader.next_if('>') => Token::Arrow,
            '"' => reader.quoted().ok_or((line, "a quote that is opened here is never closed".to_owned()))?,
            '-' | '.' | '0'..='9' => reader.number(c).map_err(|problem| (line, problem))?,
            '<' => return Err((line, "HTML labels are not read".to_owned())),
            _ if is_letter(c) => Token::Word(reader.take(c, |c| is_letter(c) || c.is_ascii_digit())),
            _ => return Err((line, format!("'{c}' is not part of the DOT language"))),
        };
        tokens.push((line, token));
    }
}

fn is_letter(c: char) -> bool {
    c.is_ascii_alphabetic() || c == '_' || !c.is_ascii()
}

struct Reader<'a> {
    chars: Peekable<Chars<'a>>,
    line: usize,
}

impl Reader<'_> {
    fn next(&mut self) -> Option<char> {
        let c = self.chars.next()?;
        self.line += usize::from(c == '\n');
        Some(c)
    }

    fn next_if(&mut self, wanted: char) -> bool {
        self.chars.peek() == Some(&wanted) && self.next().is_some()
    }

    /// Comments are `// ...`, `/* ... */` and, as in C, lines that begin with `#`; here also `# ...` after a statement.
    fn skip_space_and_comments(&mut self) -> Result<(), (usize, String)> {
        while let Some(&c) = self.chars.peek() {
            let line = self.line;
            match c {
                '#' => self.skip_line(),
                '/' => {
                    self.next();
                    if self.next_if('/') {
                        self.skip_line();
                    } else if !self.next_if('*') || !self.skip_block() {
                        return Err((line, "'/' does not begin a comment that ends".to_owned()));
                    }
                }
                c if c.is_whitespace() || c == '\u{feff}' => {
                    self.next();
                }
                _ => break,
            }
        }
        Ok(())
    }

    fn skip_line(&mut self) {
        while self.next().is_some_and(|c| c != '\n') {}
    }

    /// Whether the block comment ends.
    fn skip_block(&mut self) -> bool {
        while let Some(c) = self.next() {
            if c == '*' && self.next_if('/') {
                return true;
            }
        }
        false
    }

    /// The rest of a text in quotes, if it ends: `\"` is a quote, a backslash before the end of a line joins two lines,
    /// any other backslash stands for itself.
    fn quoted(&mut self) -> Option<Token> {
        let mut text = String::new();
        loop {
            match self.next()? {
                '"' => return Some(Token::Quoted(text)),
                '\\' if self.next_if('"') => text.push('"'),
                '\\' if self.next_if('\n') => {}
                c => text.push(c),
            }
        }
    }

    /// `-? ( .digits | digits (.digits?)? )`
    fn number(&mut self, first: char) -> Result<Token, String> {
        let text = self.take(first, |c| c.is_ascii_digit() || c == '.');
        let digits = text.trim_start_matches('-');
        if digits.matches('.').count() > 1 || !digits.contains(|c: char| c.is_ascii_digit()) {
            return Err(format!("'{text}' is no number"));
        }
        if self.chars.peek().copied().is_some_and(is_letter) {
            return Err(format!("'{text}' runs into a name; put it in quotes"));
        }
        Ok(Token::Word(text))
    }

    fn take(&mut self, first: char, part: impl Fn(char) -> bool) -> String {
        let mut text = String::from(first);
        while let Some(&c) = self.chars.peek().filter(|&&c| part(c)) {
            text.push(c);
            self.next();
        }
        text
    }
}
