//! Which device's requests are wanted, decided when a device appears in a good record.
//!
//! An index may exist long before: a dictionary lists names that never occur, and a record may
//! name its device and then be refused. So it is appearance that counts.

use crate::error::{Code, Fault};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Choice {
    Unseen,
    Wanted,
    Unwanted,
}

#[derive(Debug)]
enum Asked {
    /// There must be one only.
    TheOnly,
    All,
    These(Vec<String>),
}

/// `device` and `devices` of a spec, applied to device indices.
#[derive(Debug)]
pub(crate) struct Selection {
    asked: Asked,
    choices: Vec<Choice>,
}

impl Selection {
    pub(crate) fn new(device: Option<String>, devices: Option<Vec<String>>) -> Self {
        let asked = match (device, devices) {
            (None, None) => Asked::TheOnly,
            (Some(device), _) if device == "*" => Asked::All,
            (Some(device), _) => Asked::These(vec![device]),
            (None, Some(devices)) => Asked::These(devices),
        };
        Self { asked, choices: Vec::new() }
    }

    /// Whether the requests of `device`, an index into `names`, are wanted.
    ///
    /// # Errors
    /// A second device where none was asked for.
    #[inline]
    pub(crate) fn wants(&mut self, device: u32, names: &[String]) -> Result<bool, Fault> {
        match self.choices.get(device as usize) {
            Some(Choice::Wanted) => Ok(true),
            Some(Choice::Unwanted) => Ok(false),
            None | Some(Choice::Unseen) => self.decide(device as usize, names),
        }
    }

    #[cold]
    fn decide(&mut self, device: usize, names: &[String]) -> Result<bool, Fault> {
        let name = |index: usize| names.get(index).map_or("", String::as_str);
        let wanted = match &self.asked {
            Asked::All => true,
            Asked::These(names) => names.iter().any(|asked| name(device) == asked),
            Asked::TheOnly => match self.choices.iter().position(|&c| c == Choice::Wanted) {
                None => true,
                Some(first) => return Err(second_device(name(first), name(device))),
            },
        };
        if self.choices.len() <= device {
            self.choices.resize(device + 1, Choice::Unseen);
        }
        self.choices[device] = if wanted { Choice::Wanted } else { Choice::Unwanted };
        Ok(wanted)
    }

    /// At the end: why nothing was wanted, where a device was asked for that never appeared.
    pub(crate) fn missing(&self, names: &[String]) -> Option<String> {
        const SHOWN: usize = 10;
        let Asked::These(asked) = &self.asked else { return None };
        if self.choices.iter().all(|choice| *choice == Choice::Unseen) {
            return None;
        }
        let seen = |asked: &String| {
            let at = names.iter().position(|name| name == asked);
            at.is_some_and(|at| self.choices.get(at) == Some(&Choice::Wanted))
        };
        let asked = asked.iter().find(|asked| !seen(asked))?;
        let mut listed: Vec<_> = names.iter().take(SHOWN).map(|n| format!("'{n}'")).collect();
        if names.len() > SHOWN {
            listed.push(format!("{} more", names.len() - SHOWN));
        }
        let listed = listed.join(", ");
        Some(format!("there are no requests of device '{asked}'; the devices are {listed}"))
    }
}

pub(crate) fn second_device(first: &str, second: &str) -> Fault {
    let reason = format!(
        "the trace holds more than one device: '{first}' and '{second}'; name the one to read with \
         `device={first}`, or `device=*` to lay all of them over one address space"
    );
    Fault::fatal(Code::Ambiguous, reason)
}
