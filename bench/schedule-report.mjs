/** Returns nearest-rank quantiles. */
export function quantiles(values) {
  const sorted = Float64Array.from(values).sort();
  const at = (q) => (sorted.length === 0 ? null : sorted[Math.min(sorted.length - 1, Math.floor(q * sorted.length))]);
  return { p50: at(0.5), p99: at(0.99), max: sorted.length === 0 ? null : sorted[sorted.length - 1] };
}

/**
 * Returns how well arrivals fit the expected schedule. Each site's grid is the earliest one that fits its arrivals. A
 * grid point without an arrival before the next one counts as missed, and a second arrival on it as a duplicate.
 * `arrivals` is a list of [site, ms]. `from` and `slots` define the window. Sites in `except`, which fail on purpose,
 * are skipped.
 */
export function scheduleReport(arrivals, { sites, intervalMs, from, slots, except = new Set() }) {
  const to = from + slots * intervalMs;
  const bySite = new Map();
  for (const [site, ms] of arrivals) {
    if (except.has(site)) continue;
    const list = bySite.get(site);
    if (list) list.push(ms);
    else bySite.set(site, [ms]);
  }
  const late = [];
  let filled = 0;
  let duplicated = 0;
  for (const times of bySite.values()) {
    times.sort((a, b) => a - b);
    const residue = (ms) => ms - times[0] - Math.round((ms - times[0]) / intervalMs) * intervalMs;
    const phase = times[0] + Math.min(...times.map(residue));
    const taken = new Set();
    for (const ms of times) {
      const k = Math.floor((ms - phase) / intervalMs + 1e-9);
      const due = phase + k * intervalMs;
      if (due < from || due >= to) continue;
      if (taken.has(k)) duplicated++;
      else {
        taken.add(k);
        filled++;
        late.push(ms - due);
      }
    }
  }
  const asked = (sites - except.size) * slots;
  return { asked, got: filled, missed: asked - filled, duplicated, late: quantiles(late) };
}
