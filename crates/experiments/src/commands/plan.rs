//! `dido plan`.

use dido_experiments::{ExperimentError, plan, report};

use super::output::{print, say, warn};
use super::{Common, sweep};

pub fn run(common: &Common) -> Result<(), ExperimentError> {
    if let Some(sweep) = common.sweep()? {
        return sweep::plan(&sweep, common.json);
    }
    let planned = plan(&common.spec()?)?;
    warn(&planned);
    say(common.json, &report::text::plan(&planned.plan))?;
    if common.json {
        print(&dido_experiments::json(&planned.plan))?;
    }
    Ok(())
}
