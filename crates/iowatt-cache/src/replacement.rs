//! The contract of a replacement policy.

/// Which slot of a cache gives way to a new key.
///
/// The cache owns the slots and knows which of them may go; a policy owns an order of their numbers, and the keys of
/// what went where it remembers them. Slots are numbered from 0 to below the capacity that the policy was made for.
///
/// What the cache promises:
///
/// - it calls [`insert`](Self::insert) with a slot that holds nothing: one that was never inserted while there are such,
///   else the one that [`victim`](Self::victim) has just returned for the same key. A cache may hold fewer slots for a
///   time: it then asks for victims that no key follows, and later inserts into their slots, the last given up first,
///   without asking for a victim. So a key may enter that was not `incoming`, and that the policy remembers;
/// - it calls [`used`](Self::used) once for every reference to a key that it holds, and never for one that it lacks;
/// - what was not evictable becomes so again with a call of [`released`](Self::released), which it may also call of
///   slots that were never asked about.
///
/// What a policy promises, and `tests/contract.rs` asks of every one:
///
/// - `victim` returns a slot that holds a key and is evictable, and forgets it; it returns none only where no slot is;
/// - it asks `evictable` of slots that hold keys only. Those that it asked about in vain may stand aside, so that no
///   later search looks at them again before they are `used` or `released`;
/// - the same calls give the same answers;
/// - no call allocates in steady state, and each takes constant time, a search amortised.
///
/// How to add one: `docs/howto/add-a-policy.md`.
pub trait Replacement {
    /// A key enters the cache in a slot.
    fn insert(&mut self, slot: u32, key: u64);
    /// A reference finds its key in a slot.
    fn used(&mut self, slot: u32);
    /// Chooses and forgets a slot for which `evictable` is true, to make room for the key `incoming`.
    fn victim(&mut self, incoming: u64, evictable: impl FnMut(u32) -> bool) -> Option<u32>;
    /// A slot that was not evictable is so again.
    fn released(&mut self, slot: u32);
}
