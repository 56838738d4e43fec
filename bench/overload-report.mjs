// The table for bench/overload.mjs, with a column for each step.
const number = (value, digits = 0) =>
  value === null || value === undefined || Number.isNaN(value)
    ? '–'
    : value === Infinity
      ? 'never'
      : value.toFixed(digits);
const seconds = (ms) => (ms === null ? '–' : ms === Infinity ? 'not in this step' : `${(ms / 1000).toFixed(1)} s`);
const bound = (value) => (value === null ? '–' : value === Infinity ? '> 10' : `≤ ${value}`);

const ROWS = [
  ['asked/s', ({ asked }) => number(asked)],
  ['got/s, by the target', ({ got }) => number(got)],
  ['recorded/s', ({ recorded }) => number(recorded)],
  ['results lost', ({ lost }) => number(lost)],
  ['results decided whose history was lost', ({ historyLost }) => number(historyLost)],
  ['slots skipped, by the service', ({ skipped }) => number(skipped)],
  ['slots without a check, by the target', ({ asked, got, seconds: s }) => number(Math.max(0, (asked - got) * s))],
  [
    'checks of one endpoint: least / median / most',
    ({ perEndpoint: each }) => (each ? `${each.least} / ${each.p50} / ${each.most}` : '–'),
  ],
  ['results waiting, at most', ({ waiting }) => number(waiting)],
  ['overload ratio, at most', ({ ratio }) => number(ratio, 2)],
  ['told of broken sites (of those that were checked)', ({ toldCount, failing }) => `${toldCount} of ${failing}`],
  [
    'failing response → webhook p50 / max',
    ({ told }) => (told.p50 === null ? '–' : `${seconds(told.p50)} / ${seconds(told.max)}`),
  ],
  ['told of sites that never failed', ({ untrue }) => number(untrue)],
  ['begun late p50 / p99, s', ({ late }) => late.map(bound).join(' / ')],
  ['age of the last claim at the end, s', ({ claimLag }) => number(claimLag, 1)],
  ['GET one endpoint p50 / p99, ms', ({ api }) => `${number(api.p50, 1)} / ${number(api.p99, 1)}`],
  ['… failed', ({ api }) => `${api.failed} of ${api.requests}`],
  ['live / ready, of so many times', ({ health }) => `${health.live} / ${health.ready} of ${health.asked}`],
  ['not ready because of', ({ health }) => health.unready.join(', ') || '–'],
  ['memory (PSS), MB', ({ peakMb }) => number(peakMb)],
  [
    'cores: service / PostgreSQL / target / all of the machine',
    ({ cpu }) => cpu.map((cores) => number(cores, 2)).join(' / '),
  ],
  ['back to normal after', ({ isReturn, recoveredMs }) => (isReturn ? seconds(recoveredMs) : '')],
];

const ofGroup = (index, name) => [
  [
    `${name}: got of asked`,
    ({ groups }) => {
      const { got, asked } = groups[index];
      return got === null ? '–' : `${number((100 * got) / asked)} % of ${number(asked)}`;
    },
  ],
  [`${name}: told`, ({ groups }) => `${groups[index].told} of ${groups[index].broken}`],
];

/** Returns the table in Markdown. */
export function overloadTable({ capacity, interval, count, groups }, steps) {
  const rows = [...ROWS, ...(groups.length > 1 ? groups.flatMap(({ name }, index) => ofGroup(index, name)) : [])];
  const lines = rows.map(([name, read]) => `| ${name} | ${steps.map(read).join(' | ')} |`);
  return [
    `Capacity ${capacity} checks/s; ${count} endpoints every ${interval} s, ${steps[0]?.seconds.toFixed(0) ?? 0} s each.`,
    '',
    `| | ${steps.map(({ factor }) => `${factor} ×`).join(' | ')} |`,
    `|---|${'---|'.repeat(steps.length)}`,
    ...lines,
  ].join('\n');
}
