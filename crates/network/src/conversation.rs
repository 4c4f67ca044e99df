//! What a party says to its neighbours, and what it makes of what they say.

use std::sync::Arc;
use std::time::Instant;

use crate::frame::hash_of;
use crate::neighbour::Receipt;
use crate::party::PartyNetwork;
use crate::{
    CommittedFrame, Event, Farewell, Halt, Hash, Hello, Message, PROTOCOL, PartyId, Settings, Standing, Transport,
};

impl<T: Transport> PartyNetwork<T> {
    pub(crate) fn handle(&mut self, event: Event) -> Result<(), Halt> {
        match event {
            Event::Refused(..) => Ok(()),
            Event::Up(id) => {
                let Some(k) = self.place(id) else { return Ok(()) };
                self.neighbours[k].standing = Standing::Connected;
                let hello = Message::Hello(Arc::new(self.hello(k)));
                self.transport.send(id, hello);
                Ok(())
            }
            Event::Down(id, why) => {
                if let Some(k) = self.place(id)
                    && !matches!(self.neighbours[k].standing, Standing::Refused(_) | Standing::Done)
                {
                    self.neighbours[k].standing = Standing::Away(why);
                }
                Ok(())
            }
            Event::Message(id, message) => match self.place(id) {
                Some(k) => self.hear(k, message),
                None => Ok(()),
            },
        }
    }

    fn hear(&mut self, k: usize, message: Message) -> Result<(), Halt> {
        match message {
            Message::Hello(hello) => self.meet(k, &hello),
            Message::Bye(farewell) => self.part(k, farewell),
            // Whoever has not been introduced is not heard.
            _ if !self.neighbours[k].is_present() => Ok(()),
            Message::Push(bytes) => self.receive(k, &bytes),
            Message::Pull(step) => {
                // Whoever asks again may have missed the first message, too.
                let hello = Message::Hello(Arc::new(self.hello(k)));
                self.tell(k, hello);
                if let Some(frame) = self.journal.frame(step)? {
                    self.push(k, &frame);
                }
                self.tell_if_done(k);
                Ok(())
            }
        }
    }

    fn hello(&self, k: usize) -> Hello {
        let (run, manifest) = (self.settings.run, self.settings.manifest.clone());
        let (incarnation, seen) = (self.journal.incarnation(), self.neighbours[k].latest());
        Hello { version: PROTOCOL, run, manifest, incarnation, process: self.process, seen }
    }

    /// A neighbour introduces itself.
    fn meet(&mut self, k: usize, hello: &Hello) -> Result<(), Halt> {
        let (id, run) = (self.neighbours[k].id, self.settings.run);
        if hello.version != PROTOCOL {
            let what = format!("it speaks version {} of the protocol, this party {PROTOCOL}", hello.version);
            self.refuse(k, Farewell::Version(PROTOCOL), what);
            return Ok(());
        }
        if hello.run != run {
            self.refuse(k, Farewell::Run, format!("it takes part in run {}, this party in {run}", hello.run));
            return Ok(());
        }
        if let Some(field) = self.settings.manifest.differs(&hello.manifest).map(str::to_owned) {
            let what = format!("its files differ from those of this party in {field}");
            self.refuse(k, Farewell::Manifest(field), what);
            return Ok(());
        }
        if !self.neighbours[k].admits(hello.incarnation, hello.process) {
            self.transport.send(id, Message::Bye(Farewell::Stale));
            return Ok(());
        }
        let committed = self.journal.committed();
        if let Some((step, hash)) = hello.seen {
            let known = self.journal.frame(step)?;
            if known.is_none_or(|frame| frame.hash() != hash) {
                self.leave(&Farewell::Stopping);
                return Err(Halt::RolledBack { by: id, step, hash });
            }
        }
        let neighbour = &mut self.neighbours[k];
        if neighbour.standing != Standing::Done {
            neighbour.standing = Standing::Present;
        }
        neighbour.heard = Instant::now();
        let next = hello.seen.map_or(0, |(step, _)| step + 1);
        // A neighbour is behind by one exchange at most; what else it lacks it asks for.
        for step in next.max(committed.saturating_sub(2))..committed {
            if let Some(frame) = self.journal.frame(step)? {
                self.push(k, &frame);
            }
        }
        self.tell_if_done(k);
        Ok(())
    }

    fn tell_if_done(&mut self, k: usize) {
        if self.journal.is_done() {
            self.tell(k, Message::Bye(Farewell::Done));
        }
    }

    fn refuse(&mut self, k: usize, farewell: Farewell, what: String) {
        self.transport.send(self.neighbours[k].id, Message::Bye(farewell));
        self.neighbours[k].standing = Standing::Refused(what);
    }

    /// A neighbour goes.
    fn part(&mut self, k: usize, farewell: Farewell) -> Result<(), Halt> {
        let neighbour = &mut self.neighbours[k];
        neighbour.standing = match farewell {
            Farewell::Stale => return Err(Halt::Replaced { by: neighbour.id }),
            // From somebody who has not been introduced it would open the way for what follows.
            Farewell::Done if !neighbour.is_present() => return Ok(()),
            Farewell::Done => Standing::Done,
            Farewell::Stopping => Standing::Away("it was stopped".to_owned()),
            Farewell::Version(theirs) => {
                Standing::Refused(format!("it speaks version {theirs} of the protocol, this party {PROTOCOL}"))
            }
            Farewell::Run => Standing::Refused("it takes part in another run".to_owned()),
            Farewell::Manifest(field) => {
                Standing::Refused(format!("its files differ from those of this party in {field}"))
            }
            Farewell::Equivocation => Standing::Refused("it saw two frames for one exchange".to_owned()),
            Farewell::Protocol => Standing::Refused("it saw a message that no party sends".to_owned()),
        };
        Ok(())
    }

    fn receive(&mut self, k: usize, bytes: &Arc<[u8]>) -> Result<(), Halt> {
        let Settings { run, largest, .. } = self.settings;
        let step = self.step;
        let neighbour = &mut self.neighbours[k];
        let from = neighbour.id;
        match neighbour.take(bytes, run, step, largest) {
            Receipt::New | Receipt::Duplicate => Ok(()),
            Receipt::Past(frame) => {
                let used = self.journal.mixture(frame.step)?;
                let used = used.and_then(|mixture| mixture.inputs.into_iter().find(|input| input.from == from));
                match used {
                    Some(input) if input.hash == frame.hash => Ok(()),
                    // Of the first one there is the hash only.
                    Some(input) => self.equivocation(from, frame.step, &input.hash.0, bytes, input.hash),
                    None => self.protocol(from, format!("a frame of exchange {}, of which it was no part", frame.step)),
                }
            }
            Receipt::Equivocation { step, first } => {
                let hash = hash_of(&first).expect("a frame ends with its hash");
                self.equivocation(from, step, &first, bytes, hash)
            }
            Receipt::Wrong(what) => self.protocol(from, what),
        }
    }

    fn equivocation(&mut self, from: PartyId, step: u64, first: &[u8], second: &[u8], hash: Hash) -> Result<(), Halt> {
        self.journal.note_equivocation(from, step, first, second)?;
        self.leave(&Farewell::Equivocation);
        let other = hash_of(second).expect("a frame ends with its hash");
        Err(Halt::Equivocation { from, step, first: hash, second: other })
    }

    fn protocol(&mut self, from: PartyId, what: String) -> Result<(), Halt> {
        self.transport.send(from, Message::Bye(Farewell::Protocol));
        Err(Halt::Protocol { from, what })
    }

    /// Says the same to all, and closes.
    pub(crate) fn leave(&mut self, farewell: &Farewell) {
        for k in 0..self.neighbours.len() {
            self.tell(k, Message::Bye(farewell.clone()));
        }
        self.transport.close();
    }

    /// Asks for a frame once more, of a neighbour that is connected.
    pub(crate) fn ask(&mut self, k: usize, step: u64) {
        match self.neighbours[k].standing {
            Standing::Connected | Standing::Present | Standing::Done => {
                let hello = Message::Hello(Arc::new(self.hello(k)));
                self.transport.send(self.neighbours[k].id, hello);
                self.tell(k, Message::Pull(step));
            }
            Standing::Away(_) | Standing::Refused(_) => {}
        }
    }

    pub(crate) fn push(&mut self, k: usize, frame: &CommittedFrame) {
        self.tell(k, Message::Push(Arc::clone(frame.bytes())));
    }

    pub(crate) fn tell(&mut self, k: usize, message: Message) {
        if self.neighbours[k].is_present() {
            self.transport.send(self.neighbours[k].id, message);
        }
    }
}
