//! An address map fused with its initiator, which takes every response at once.

use spinach_engine::{Edge, Output, Signals};

use super::{ACCEPT, ACCEPT_RESPONSE, AddressMap, FAULTS, NOWHERE, REFERENCES, REFUSED, REQUEST, RESPOND};
use crate::interconnect::routing::{Order, Route};
use crate::values::{Reference, Response};

/// Exchange between initiator and map in a cycle.
#[derive(Clone, Copy, Default)]
pub(crate) struct Led {
    /// Route of the presented reference, if it may pass.
    passing: Option<Route>,
    /// True if a reference is presented.
    is_presented: bool,
    /// True if it is taken.
    pub(crate) is_taken: bool,
    /// True if a response comes.
    pub(crate) is_answered: bool,
    /// True if it is a fault.
    pub(crate) is_fault: bool,
    /// The first 64 bits of its data.
    pub(crate) data: u64,
}

impl AddressMap {
    /// Processes that [`AddressMap::lead`] replaces.
    pub(crate) const LEADING: [u16; 3] = [REQUEST, RESPOND, ACCEPT_RESPONSE];
    /// The process that [`AddressMap::led`] replaces.
    pub(crate) const TAKING: u16 = ACCEPT;

    /// Presents a reference of the initiator, given its address and bytes, to the target that it may pass to, and takes the
    /// response that is due. `present` presents it at another address. Returns where it goes, if it may pass.
    #[inline(always)]
    pub(crate) fn lead(
        &self,
        reference: Option<(u64, u64)>,
        signals: &mut Signals,
        present: impl Fn(&mut Signals, Output<Reference>, u64),
    ) -> Option<Route> {
        let passing = reference.and_then(|(address, size)| self.allowed(address, size, signals));
        match passing {
            Some(route) => {
                self.presents_none.forget();
                for (target, output) in (0..).zip(&*self.ports.target_request) {
                    if route.target == target {
                        present(signals, *output, route.address);
                    } else {
                        signals.clear(*output);
                    }
                }
            }
            None if signals.are_set_already(&self.presents_none) => {}
            None => self.ports.target_request.iter().for_each(|output| signals.clear(*output)),
        }
        self.take_responses(true, signals);
        passing
    }

    /// True if the initiator awaits a response.
    #[inline(always)]
    pub(crate) fn is_awaited(&self) -> bool {
        self.state.order.outstanding > 0
    }

    /// Outcome of a cycle in which the initiator presents a reference or not, and where it passes to if it may.
    #[inline(always)]
    pub(crate) fn led(&self, is_presented: bool, passing: Option<Route>, signals: &Signals) -> Led {
        let mut led = Led { passing, is_presented, ..Led::default() };
        led.is_taken = passing.is_some_and(|route| self.is_accepted(route, signals));
        match self.answering() {
            None => {}
            Some(NOWHERE) => (led.is_answered, led.is_fault) = (true, true),
            Some(target) => {
                let response = self.ports.target_response[usize::from(target)];
                led.is_answered = signals.is_present(response);
                led.is_fault = Response::is_fault_at(signals, response);
                led.data = signals.word(response, 0);
            }
        }
        led
    }

    /// Commits a cycle with this outcome.
    #[inline(always)]
    pub(crate) fn commit_led(&mut self, led: &Led, edge: &mut Edge<'_>) {
        if led.is_answered {
            self.state.order.pop();
        }
        match led.passing {
            Some(route) if led.is_taken => {
                self.state.order.push(route.target);
                edge.count(REFERENCES, 1);
                edge.count(FAULTS, u64::from(route.target == NOWHERE));
            }
            _ => edge.count(REFUSED, u64::from(led.is_presented)),
        }
    }

    /// Address of these bytes at a target, if the target has them.
    #[inline(always)]
    pub(crate) fn address_at(&self, target: u8, address: u64, size: u64) -> Option<u64> {
        let route = self.routes.find(address, size);
        (route.target == target).then_some(route.address)
    }

    /// Counts a reference that was made before its cycle had come.
    #[inline(always)]
    pub(crate) fn count_ahead(counters: &mut [u64]) {
        counters[REFERENCES] += 1;
    }

    /// Outstanding answers.
    pub(crate) fn order(&self) -> Order {
        self.state.order
    }

    /// Replaces the outstanding answers.
    pub(crate) fn set_order(&mut self, order: Order) {
        self.state.order = order;
    }

    /// Shows what passes through the channels of a target in a cycle for observers, and lets all outputs be written afresh.
    pub(crate) fn show(
        &self,
        target: u8,
        request: Option<Reference>,
        response: Option<Response>,
        signals: &mut Signals,
    ) {
        let target = usize::from(target);
        signals.show_sent(self.ports.target_request[target], request, true);
        signals.show(self.ports.target_response[target], response, response.is_some());
        self.presents_none.forget();
        self.refuses.forget();
    }
}
