/**
 * Writes the times of a public page in the reader's own zone and says so. Sent inside the page; its Content-Security-Policy
 * allows it by its hash. Without it the page says UTC. The title keeps what was there.
 */
export const STATUS_SCRIPT = `
const format = new Intl.DateTimeFormat([], {dateStyle: 'medium', timeStyle: 'short'});
for (const time of document.querySelectorAll('time')) {
  const {dateTime, dataset: {until}} = time;
  time.title = time.textContent;
  time.textContent = until ? format.formatRange(new Date(dateTime), new Date(until)) : format.format(new Date(dateTime));
}
const zone = document.getElementById('zone');
if (zone) zone.textContent = 'Times are in your zone, ' + format.resolvedOptions().timeZone + '; days begin at midnight UTC.';
`;
