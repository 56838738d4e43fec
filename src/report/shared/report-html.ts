import { publicReason } from '../../status-page/public-reason';
import { daysImage } from '../../status-page/render/day-bars';
import { STATUS_STYLE } from '../../status-page/render/status-style';
import { capitalized } from '../../platform/text/capitalized';
import { html } from '../../platform/text/html';
import { wallAt } from '../../platform/time/time-zone';
import type { ReportDayView, ReportEndpointView, ReportOutageView, UptimeReportView } from '../uptime/report.dto';
import type { Verdict } from '../uptime/uptime-sums';
import { REPORT_STYLE } from './report-style';

const MONTHS = 'January February March April May June July August September October November December'.split(' ');
const MINUTE = 60;

/** Rounds down, so that a month with downtime never shows as 100 %. */
export const percentText = (ratio: number | null, digits = 2): string => {
  if (ratio === null) return 'No data';
  if (ratio === 1) return '100\u00a0%';
  return `${(Math.floor(ratio * 100 * 10 ** digits) / 10 ** digits).toFixed(digits)}\u00a0%`;
};

/** `0`, `40 s`, `31 min`, or `1 h 25 min`. A negative time has a minus sign. */
export function spanText(seconds: number): string {
  const whole = Math.round(Math.abs(seconds));
  const sign = seconds < 0 && whole > 0 ? '−' : '';
  if (whole === 0) return '0';
  if (whole < MINUTE) return `${sign}${whole} s`;
  const minutes = Math.round(whole / MINUTE);
  if (minutes < 60) return `${sign}${minutes} min`;
  const rest = minutes % 60;
  return `${sign}${Math.floor(minutes / 60)} h${rest === 0 ? '' : ` ${rest} min`}`;
}

const monthText = (month: string): string => `${MONTHS[Number(month.slice(5)) - 1] ?? ''} ${month.slice(0, 4)}`;

/** `12 Oct, 09:15`, by the clock of the report's time zone. */
function timeText(iso: string, timeZone: string): string {
  const wall = new Date(wallAt(timeZone, Date.parse(iso)));
  const month = MONTHS[wall.getUTCMonth()]?.slice(0, 3) ?? '';
  return `${wall.getUTCDate()} ${month}, ${wall.toISOString().slice(11, 16)}`;
}

const VERDICTS: Readonly<Record<Verdict, readonly [state: string, word: string]>> = {
  met: ['up', 'Met'],
  missed: ['down', 'Missed'],
  on_track: ['up', 'On track'],
  no_data: ['unknown', 'No data'],
};

const verdictPill = (verdict: Verdict, text = VERDICTS[verdict][1]): string =>
  `<span class="pill ${VERDICTS[verdict][0]}">${text}</span>`;

/** The severity of a day, by the same limits as on status pages. */
function kindOf({ availability, planned_seconds: planned }: ReportDayView): string {
  if (availability === null) return planned > 0 ? 'work' : 'none';
  if (availability === 1) return 'ok';
  return availability > 0.99 ? 'low' : availability > 0.9 ? 'some' : 'bad';
}

function bars({ days }: ReportEndpointView): string {
  const bad = days.filter(({ downtime_seconds: down }) => down > 0).length;
  const label = bad === 0 ? 'No day with downtime' : `${bad} ${bad === 1 ? 'day' : 'days'} with downtime`;
  return daysImage(
    days.map(kindOf),
    days.map(({ downtime_seconds: down }) => (down > 0 ? 'tick' : '')),
    label,
  );
}

function tile(name: string, value: string, below: string): string {
  return `<div class="card tile"><dl><dt>${name}</dt><dd>${value}</dd></dl><p class="small soft">${below}</p></div>`;
}

function tiles({ total }: UptimeReportView): string {
  const { incidents, longest_incident_seconds: longest, acknowledge_seconds: acknowledged } = total;
  const verdict = { met: 'Target met', missed: 'Target missed', on_track: 'On track', no_data: 'No data' }[
    total.verdict
  ];
  return `<div class="tiles">${[
    tile('Availability', percentText(total.availability), verdictPill(total.verdict, verdict)),
    tile('Downtime', spanText(total.downtime_seconds), `of ${spanText(total.allowed_seconds)} allowed`),
    tile('Incidents', String(incidents), longest === null ? 'None in this month' : `Longest ${spanText(longest)}`),
    tile('Time to acknowledge', acknowledged === null ? '–' : spanText(acknowledged), 'Median'),
  ].join('')}</div>`;
}

/** A cell, with the name of its column for narrow screens, where each row is a card. */
const cell = (name: string, text: string): string => `<td role="cell" class="number" data-label="${name}">${text}</td>`;

function endpointRow(endpoint: ReportEndpointView): string {
  const left = endpoint.verdict === 'no_data' ? '–' : spanText(endpoint.budget_left_seconds);
  return `<tr role="row"><td role="cell"><strong>${html(endpoint.name)}</strong><br><span class="small soft">${html(endpoint.website_name)}</span></td><td role="cell" class="wide">${bars(endpoint)}</td>${[
    cell('Availability', percentText(endpoint.availability)),
    cell('Downtime', spanText(endpoint.downtime_seconds)),
    cell('Budget left', left),
    cell('Coverage', percentText(endpoint.coverage, 1)),
  ].join('')}<td role="cell">${verdictPill(endpoint.verdict)}</td></tr>`;
}

/** Starts a table. Names that start with `#` are columns of numbers. */
const tableStart = (label: string, columns: readonly string[]): string =>
  `\n<div class="card table" tabindex="0" role="region" aria-label="${label}"><table role="table"><thead role="rowgroup"><tr role="row">${columns
    .map((name) =>
      name.startsWith('#')
        ? `<th role="columnheader" class="number">${name.slice(1)}</th>`
        : `<th role="columnheader">${name}</th>`,
    )
    .join('')}</tr></thead><tbody role="rowgroup">`;
const TABLE_END = '\n</tbody></table></div>';

function* outages({ outages: all, timezone: zone, total }: UptimeReportView): Generator<string> {
  const unplanned = all.filter(({ planned }) => !planned);
  yield '\n<h2 class="part">Outages</h2>';
  if (unplanned.length === 0) {
    yield '\n<p class="soft">No outages in this month.</p>';
    return;
  }
  yield tableStart('Outages', ['Endpoint', 'Started', '#Duration', 'Reason']);
  for (const outage of unplanned) yield `\n${outageRow(outage, zone)}`;
  yield TABLE_END;
  const rest = total.outages - unplanned.length;
  if (rest > 0)
    yield `\n<p class="small soft rest">${rest} earlier ${rest === 1 ? 'outage is' : 'outages are'} not listed.</p>`;
}

const outageRow = (outage: ReportOutageView, zone: string): string =>
  `<tr role="row"><td role="cell"><strong>${html(outage.endpoint_name)}</strong></td><td role="cell"><time datetime="${outage.started_at}">${timeText(outage.started_at, zone)}</time></td><td role="cell" class="number">${outage.ended_at === null ? 'ongoing, ' : ''}${spanText(outage.duration_seconds)}</td><td role="cell">${html(capitalized(publicReason(outage.error?.code ?? null) ?? 'not reachable'))}</td></tr>`;

/** Yields a shared report as one HTML document without a script. It never contains a URL or an error message. */
export function* reportHtml(
  report: UptimeReportView,
  { title, organization, tag, expiresAt, root }: SharedFrame,
): Generator<string> {
  const { month, timezone: zone, target, total, endpoints, until, to } = report;
  const heading = `${title}, ${monthText(month)}`;
  const facts = [
    `Target ${target} %${tag === null ? '' : ` for tag <strong>${html(tag)}</strong>`}`,
    html(zone),
    'planned maintenance excluded',
    `coverage ${percentText(total.coverage, 1)}`,
    ...(until === to ? [] : [`up to ${timeText(until, zone)}`]),
  ];
  yield `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${html(heading)}</title>
<link rel="icon" type="image/svg+xml" href="${root}/favicon.svg">
<style>${STATUS_STYLE}</style>
<style>${REPORT_STYLE}</style>
</head>
<body>
<main>
<header><h1>${html(heading)}</h1><span class="soft">${html(organization)}</span></header>
<p class="facts">${facts.join(' · ')}</p>
${tiles(report)}`;
  if (endpoints.length === 0) yield '\n<p class="soft">No endpoints.</p>';
  else {
    const days = `Every day of ${monthText(month).split(' ')[0] ?? ''}`;
    yield tableStart('Endpoints', [
      'Endpoint',
      days,
      '#Availability',
      '#Downtime',
      '#Budget left',
      '#Coverage',
      'Target',
    ]);
    for (const endpoint of endpoints) yield `\n${endpointRow(endpoint)}`;
    yield TABLE_END;
  }
  yield* outages(report);
  yield `
<footer><p>Availability is 1 − downtime / counted time. Time counts while an endpoint is monitored, outside of planned maintenance.</p>
<p>This link works until ${timeText(expiresAt, zone)} (${html(zone)}).</p></footer>
</main>
</body>
</html>
`;
}

/** The texts around the numbers of a shared report. */
export interface SharedFrame {
  title: string;
  organization: string;
  tag: string | null;
  expiresAt: string;
  /** The path prefix for each URL, see `rootFor`. */
  root: string;
}

/** Renders the page for a link that is unknown, deleted, or expired. */
export const noReportHtml = (root: string): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>No report here</title>
<link rel="icon" type="image/svg+xml" href="${root}/favicon.svg">
<style>${STATUS_STYLE}</style>
</head>
<body>
<main>
<h1>No report here</h1>
<p class="lead">The link is not valid, has expired, or was deleted. Ask the person who sent it to you for a new one.</p>
</main>
</body>
</html>
`;
