//! `dido plan`.

use dido_experiments::{ExperimentError, plan, report};

use super::Common;
use super::output::{print, say, warn};

pub fn run(common: &Common) -> Result<(), ExperimentError> {
    let planned = plan(&common.spec()?)?;
    warn(&planned);
    say(common.json, &report::text::plan(&planned.plan))?;
    if common.json {
        print(&dido_experiments::json(&planned.plan))?;
    }
    Ok(())
}
