/** The style of a public page. It is sent inline, and the Content-Security-Policy allows it by its hash. */
export const STATUS_STYLE = `
:root{color-scheme:light dark;--ground:#f3f5f9;--surface:#fff;--line:#dde3ec;--ink:#0f1728;--soft:#49556a;--link:#2350d8;
--shadow:0 1px 2px rgb(15 23 40/5%),0 2px 8px rgb(15 23 40/4%);
--well:#0f7a4b;--well-end:#08633c;--alarm:#c01d26;--alarm-end:#8f0f1c;--half:#ad4c08;--half-end:#863803;--busy:#2c62bd;--busy-end:#1a4794;--word:#7a3fb8;--word-end:#572a87;
--up:#16965e;--up-ink:#08633c;--up-wash:#e2f5ea;--down:#d42a2f;--down-ink:#a8161d;--down-wash:#fdebea;
--unknown-ink:#7d5000;--unknown-wash:#fcf2dc;--degraded-ink:#8f3d00;--degraded-wash:#ffebdc;
--work:#3b78d8;--work-ink:#1a4f9e;--work-wash:#e6effc;--told:#8b4fc9;--told-ink:#6a2fa5;--told-wash:#f3eafb;--none:#c9cfd6}
@media (prefers-color-scheme:dark){:root{--ground:#0b0f17;--surface:#141a25;--line:#273042;--ink:#eaeef6;--soft:#a5b0c3;--link:#8fb0ff;
--shadow:0 1px 2px rgb(0 0 0/30%),0 2px 10px rgb(0 0 0/25%);
--well:#0c6440;--well-end:#08482e;--alarm:#97222a;--alarm-end:#6a151e;--half:#8a400c;--half-end:#652c05;--busy:#274f94;--busy-end:#1b3a70;--word:#5f3391;--word-end:#43236a;
--up:#34b67d;--up-ink:#68daa6;--up-wash:#0f2a20;--down:#f0605a;--down-ink:#ff9d96;--down-wash:#361719;
--unknown-ink:#eec06b;--unknown-wash:#2d230f;--degraded-ink:#ffae75;--degraded-wash:#341e0f;
--work:#5b97f2;--work-ink:#a5c8ff;--work-wash:#14253f;--told:#a873e6;--told-ink:#d3b3ff;--told-wash:#291a3d;--none:#374152}}
*{box-sizing:border-box;margin:0;padding:0}
body{border-top:4px solid var(--accent,transparent);background:var(--ground);color:var(--ink);font:16px/1.5 system-ui,-apple-system,"Segoe UI",Roboto,sans-serif;font-variant-numeric:tabular-nums;overflow-wrap:anywhere}
main{max-width:860px;margin:0 auto;padding:40px 20px 64px}
h1{font-size:28px;line-height:1.25;letter-spacing:-.015em;text-wrap:balance}
h2{font-size:22px;line-height:1.25;letter-spacing:-.015em;margin:48px 0 16px}
h3,h4{font-size:16px}
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
.incident{color:var(--told-ink);background:var(--told-wash)}
.soft{color:var(--soft)}.small{font-size:13px}
ul,ol{list-style:none}
.endpoints>li{padding:20px 24px;background:var(--surface);border:1px solid var(--line);border-bottom:0}
.endpoints>li:first-child{border-radius:12px 12px 0 0}
.endpoints>li:last-child{border-radius:0 0 12px 12px;border-bottom:1px solid var(--line)}
.endpoints>li:only-child{border-radius:12px}
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
.outages{padding:4px 24px;background:var(--surface);border:1px solid var(--line)}
.outages li{display:grid;grid-template-columns:minmax(0,1fr) auto;gap:2px 16px;padding:12px 0}
.outages li+li{border-top:1px solid var(--line)}
.announced>li{padding:16px 24px;box-shadow:var(--shadow);background:var(--surface);border:1px solid var(--line);border-left:4px solid var(--work);border-radius:12px}
.announced>li+li{margin-top:8px}.announced.now{margin:8px 0}
.announced h2{margin:0;font-size:16px;letter-spacing:0}
.announced p{margin-top:6px;max-width:65ch}
.times{margin-top:2px;color:var(--soft)}
.incidents{margin:8px 0}
.incidents>li{padding:18px 24px;box-shadow:var(--shadow);background:var(--surface);border:1px solid var(--line);border-left:4px solid var(--up);border-radius:12px}
.incidents>.open{border-left-color:var(--told)}
.incidents>li+li{margin-top:8px}
.incidents :is(h2,h3){margin:0;font-size:18px;letter-spacing:-.01em;flex:1 1 200px}.incidents h3{font-size:16px}
.incidents .pill{flex:none}.when{margin-top:6px}
.said{margin-top:12px}
.said>li{position:relative;padding:0 0 14px 20px}.said>li:last-child{padding-bottom:0}
.said>li::before{content:"";position:absolute;left:1px;top:6px;width:8px;height:8px;border-radius:50%;background:var(--told)}
.over .said>li::before{background:var(--up)}
.said>li:not(:last-child)::after{content:"";position:absolute;left:4px;top:18px;bottom:-4px;width:2px;background:var(--line)}
.text{margin-top:2px;max-width:65ch;white-space:pre-line;font-size:16px}
.months{margin:0 0 16px}.more{margin-top:12px}
.endpoints,.outages{border-radius:12px;box-shadow:var(--shadow)}
.overall{gap:4px 16px;padding:24px;border-radius:16px;box-shadow:var(--shadow);font-size:22px;line-height:1.25;letter-spacing:-.015em}
.overall>svg{flex:none}
.overall:is(.up,.down,.degraded,.maintenance,.incident){color:#fff;background:linear-gradient(100deg,var(--top),var(--end))}
.overall.up{--top:var(--well);--end:var(--well-end)}.overall.down{--top:var(--alarm);--end:var(--alarm-end)}
.overall.degraded{--top:var(--half);--end:var(--half-end)}.overall.maintenance{--top:var(--busy);--end:var(--busy-end)}
.overall.incident{--top:var(--word);--end:var(--word-end)}
footer{margin-top:48px;color:var(--soft);font-size:13px}
a{color:var(--link)}
@media (max-width:480px){main{padding:24px 16px 48px}.bars{height:36px}.overall,.endpoints>li,.incidents>li{padding:16px}.outages{padding-inline:16px}}
`;

/**
 * The script that shows the times on a public page in the reader's time zone and notes that in the footer. It is sent
 * inline, and the Content-Security-Policy allows it by its hash. Without the script, times are in UTC. The `title`
 * keeps the UTC time.
 */
export const STATUS_SCRIPT = `
const format = new Intl.DateTimeFormat([], {dateStyle: 'medium', timeStyle: 'short'});
for (const time of document.querySelectorAll('time')) {
  const {dateTime, dataset: {until}} = time;
  time.title = time.textContent;
  time.textContent = until ? format.formatRange(new Date(dateTime), new Date(until)) : format.format(new Date(dateTime));
}
const zone = document.getElementById('zone');
if (zone) zone.textContent = 'Times are in your zone, ' + format.resolvedOptions().timeZone + '; days start at midnight UTC.';
`;
