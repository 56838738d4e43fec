/** The style of a public page. Sent inside the page; its Content-Security-Policy allows it by its hash. */
export const STATUS_STYLE = `
:root{color-scheme:light dark;--ground:#f7f8f9;--surface:#fff;--line:#e1e5ea;--ink:#14181d;--soft:#4d5763;--link:#1d5fc4;
--up:#1a9a63;--up-ink:#0b6b42;--up-wash:#e3f5ec;--down:#d3302f;--down-ink:#ae1c1f;--down-wash:#fdeceb;
--unknown-ink:#7d5000;--unknown-wash:#fcf2dc;--degraded-ink:#8f3d00;--degraded-wash:#ffebdc;
--work:#3b78d8;--work-ink:#1a4f9e;--work-wash:#e6effc;--none:#c9cfd6}
@media (prefers-color-scheme:dark){:root{--ground:#0e1115;--surface:#14181e;--line:#272d36;--ink:#e8ebef;--soft:#a2acb8;--link:#82b1ff;
--up:#34b67d;--up-ink:#63d5a0;--up-wash:#10291f;--down:#f0605a;--down-ink:#ff9a93;--down-wash:#331717;
--unknown-ink:#eec06b;--unknown-wash:#2d230f;--degraded-ink:#ffae75;--degraded-wash:#341e0f;
--work:#5b97f2;--work-ink:#a5c8ff;--work-wash:#14253f;--none:#3a424d}}
*{box-sizing:border-box;margin:0;padding:0}
body{border-top:4px solid var(--accent,transparent);background:var(--ground);color:var(--ink);font:15px/1.5 system-ui,-apple-system,"Segoe UI",Roboto,sans-serif;font-variant-numeric:tabular-nums;overflow-wrap:anywhere}
main{max-width:860px;margin:0 auto;padding:40px 20px 64px}
h1{font-size:26px;line-height:1.2;letter-spacing:-.01em}
h2{font-size:17px;margin:40px 0 12px}
h3,h4{font-size:15px}
header{display:flex;flex-wrap:wrap;gap:12px 16px;align-items:center}
.logo{max-width:220px;max-height:56px}
.lead{margin-top:12px;max-width:65ch}
.head{margin:24px 0 8px}
.overall{display:flex;flex-wrap:wrap;gap:4px 12px;align-items:center;margin:20px 0 8px;padding:16px 20px;border-radius:10px;font-size:18px;font-weight:600}
.overall svg{flex:none}.overall p{flex:1 1 160px}
.overall a{display:inline-flex;gap:6px;align-items:center;padding:4px 0;color:inherit;white-space:nowrap}
.up{color:var(--up-ink);background:var(--up-wash)}.down{color:var(--down-ink);background:var(--down-wash)}
.unknown,.paused{color:var(--unknown-ink);background:var(--unknown-wash)}
.degraded{color:var(--degraded-ink);background:var(--degraded-wash)}
.maintenance{color:var(--work-ink);background:var(--work-wash)}
.soft{color:var(--soft)}.small{font-size:13px}
ul,ol{list-style:none}
.endpoints>li{padding:16px 20px;background:var(--surface);border:1px solid var(--line);border-bottom:0}
.endpoints>li:first-child{border-radius:10px 10px 0 0}
.endpoints>li:last-child{border-radius:0 0 10px 10px;border-bottom:1px solid var(--line)}
.endpoints>li:only-child{border-radius:10px}
.row{display:flex;flex-wrap:wrap;justify-content:space-between;align-items:baseline;gap:4px 16px}
.axis strong{color:var(--ink)}.axis strong{grid-column:3}
.axis{display:grid;grid-template-columns:auto 1fr auto;gap:4px 12px;text-align:center}
.pill{display:inline-flex;gap:6px;align-items:center;padding:1px 9px 1px 7px;border-radius:20px;font-size:13px;font-weight:600}
svg{display:block}
.bars{width:100%;height:44px;margin:10px 0 4px}
.ok{fill:var(--up)}.bad{fill:var(--down)}.none{fill:var(--none)}.work{fill:var(--work)}
.legend{display:flex;gap:8px;align-items:center;margin-top:8px}.sample{flex:none}
details{margin-top:8px}
summary{cursor:pointer;color:var(--soft);width:fit-content;padding:2px 0}
.days li{display:flex;justify-content:space-between;gap:16px;padding:3px 0;border-top:1px solid var(--line)}
.days span+span,.outages span:nth-of-type(odd){text-align:right}
.sr{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%);white-space:nowrap}
:focus-visible{outline:2px solid var(--link);outline-offset:2px}
.outages li{display:grid;grid-template-columns:minmax(0,1fr) auto;gap:2px 16px;padding:12px 0;border-bottom:1px solid var(--line)}
.announced>li{padding:14px 20px;background:var(--surface);border:1px solid var(--line);border-left:4px solid var(--work);border-radius:10px}
.announced>li+li{margin-top:8px}.announced.now{margin:8px 0}
.announced h2{margin:0;font-size:15px}
.announced p{margin-top:6px;max-width:65ch}
.times{margin-top:2px;color:var(--soft)}
footer{margin-top:48px;color:var(--soft);font-size:13px}
a{color:var(--link)}
@media (max-width:480px){main{padding:24px 14px 48px}.bars{height:36px}.axis span:nth-child(2){order:1;grid-column:1/-1}}
`;

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
