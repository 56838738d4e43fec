/**
 * Writes the times of a public page in the reader's own zone and says so. Sent inside the page; its Content-Security-Policy
 * allows it by its hash. Without it the page says UTC. The title keeps what was there.
 */
export const STATUS_SCRIPT = `
for (const time of document.querySelectorAll('time')) {
  time.title = time.textContent;
  time.textContent = new Date(time.dateTime).toLocaleString([], {dateStyle: 'medium', timeStyle: 'short'});
}
const zone = document.getElementById('zone');
if (zone) zone.textContent = 'Times are in your zone, ' + Intl.DateTimeFormat().resolvedOptions().timeZone + '; days begin at midnight UTC.';
`;
