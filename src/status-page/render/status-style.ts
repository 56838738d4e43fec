/** The style of a public page. It is sent inline, and the Content-Security-Policy allows it by its hash. */
export const STATUS_STYLE = `
:root{color-scheme:light dark;--ground:#f7f9fc;--surface:#fff;--line:#e3e8f0;--edge:#c9d2df;--ink:#0f1728;--soft:#49556a;--link:#2350d8;--on:#fff;
--shadow:0 1px 2px rgb(15 23 40/4%),0 1px 8px rgb(15 23 40/3%);
--up:#22a06b;--up-ink:#08633c;--up-wash:#e2f5ea;--down:#d93036;--down-ink:#a8161d;--down-wash:#fdebea;--some:#e8710a;--low:#f0a92b;
--unknown-ink:#6d4c00;--unknown-wash:#fcf2dc;--degraded-ink:#8f3d00;--degraded-wash:#ffebdc;
--work:#3b78d8;--work-ink:#1a4f9e;--work-wash:#e6effc;--told:#8b4fc9;--told-ink:#6a2fa5;--told-wash:#f3eafb;--none:#dbe1e9}
@media (prefers-color-scheme:dark){:root{--ground:#0b0f17;--surface:#141a25;--line:#222b3a;--edge:#3a465a;--ink:#eaeef6;--soft:#a5b0c3;--link:#8fb0ff;--on:#0b0f17;
--shadow:none;
--up:#2fae77;--up-ink:#68daa6;--up-wash:#0f2a20;--down:#f0605a;--down-ink:#ff9d96;--down-wash:#361719;--some:#f08a3c;--low:#e6b34a;
--unknown-ink:#eec06b;--unknown-wash:#2d230f;--degraded-ink:#ffae75;--degraded-wash:#341e0f;
--work:#5b97f2;--work-ink:#a5c8ff;--work-wash:#14253f;--told:#a873e6;--told-ink:#d3b3ff;--told-wash:#291a3d;--none:#2b3546}}
*{box-sizing:border-box;margin:0;padding:0}
body{background:var(--ground);color:var(--ink);font:15px/1.5 Inter,system-ui,-apple-system,"Segoe UI",Roboto,sans-serif;font-variant-numeric:tabular-nums;overflow-wrap:anywhere;-webkit-text-size-adjust:100%}
main{max-width:840px;margin:0 auto;padding:36px 20px 56px}
h1{flex:1 1 150px;font-size:19px;line-height:1.3;font-weight:650;letter-spacing:-.02em}
h2{font-size:16px;line-height:1.35;font-weight:620;letter-spacing:-.01em}
h3,h4{font-size:15px;font-weight:580}
header{display:flex;flex-wrap:wrap;gap:10px 12px;align-items:center;margin-bottom:22px}
.mark{flex:none;width:34px;height:34px;border-radius:9px;background:var(--accent,var(--link));color:var(--on);font-weight:650;line-height:34px;text-align:center}
.logo{max-width:180px;max-height:40px}
.button{display:inline-block;padding:6px 12px;border:1px solid var(--edge);border-radius:8px;background:var(--surface);color:var(--ink);font-size:13.5px;font-weight:550;text-decoration:none;cursor:pointer}
.main{border-color:transparent;background:var(--accent,var(--link));color:var(--on)}
.menu{position:relative}
.menu summary{list-style:none}.menu summary::-webkit-details-marker{display:none}
.menu summary::after{content:"";display:inline-block;width:6px;height:6px;margin:0 1px 2px 8px;border:solid;border-width:0 1.5px 1.5px 0;transform:rotate(45deg)}
.menu ul{position:absolute;z-index:1;right:0;top:calc(100% + 6px);width:270px;padding:6px;background:var(--surface);border:1px solid var(--edge);border-radius:12px;box-shadow:0 8px 28px rgb(15 23 40/16%)}
.menu a{display:block;padding:8px 10px;border-radius:8px;color:var(--ink);text-decoration:none}
.menu a:hover{background:var(--ground)}.menu span{display:block;color:var(--soft);font-size:13px}
.lead{margin-bottom:14px;max-width:65ch;color:var(--soft)}
.row{display:flex;flex-wrap:wrap;gap:4px 12px;align-items:center}
.row>:first-child{flex:1 1 120px}
.head{margin:30px 2px 8px}
.card,.hero,.announced>li{background:var(--surface);border:1px solid var(--line);border-radius:12px;box-shadow:var(--shadow)}
.hero{padding:18px 22px 20px;border-left:4px solid var(--tone,var(--edge))}
.hero+.hero{margin-top:12px}
.hero h2{font-size:20px;font-weight:650;letter-spacing:-.02em;text-wrap:balance}
.hero h2:has(svg){display:flex;gap:10px;align-items:flex-start}
.i{flex:none;width:11px;height:11px;fill:currentColor}.hero h2 .i{width:18px;height:18px;margin-top:5px;color:var(--tone-ink,var(--soft))}
.hero>.row+p{margin-top:4px}.hero>p:last-child{margin-top:12px}
.hero.up{--tone:var(--up);--tone-ink:var(--up-ink)}.hero.down{--tone:var(--down);--tone-ink:var(--down-ink)}
.hero.degraded{--tone:var(--some);--tone-ink:var(--degraded-ink)}.hero.maintenance{--tone:var(--work);--tone-ink:var(--work-ink)}
.hero.incident{--tone:var(--told);--tone-ink:var(--told-ink)}
.ongoing{margin:8px 0 0}.ongoing li{padding:3px 0}
.said{margin-top:14px}.said>li+li{margin-top:12px;color:var(--soft)}
.said p+p{margin-top:2px}.said strong{font-weight:580}
.text{max-width:68ch;white-space:pre-line}
.as-of{margin:10px 2px 0}
.up{color:var(--up-ink);background:var(--up-wash)}.down{color:var(--down-ink);background:var(--down-wash)}
.unknown,.paused{color:var(--unknown-ink);background:var(--unknown-wash)}
.degraded{color:var(--degraded-ink);background:var(--degraded-wash)}
.maintenance{color:var(--work-ink);background:var(--work-wash)}
.incident{color:var(--told-ink);background:var(--told-wash)}
.hero{color:var(--ink);background:var(--surface)}
.soft{color:var(--soft)}.small{font-size:13.5px}
ul,ol{list-style:none}
.services{overflow:hidden}
.fold+.fold,.fold+ul,ul+.fold,.endpoints>li+li{border-top:1px solid var(--line)}
.fold>summary{padding:12px 20px;cursor:pointer;list-style:none}.fold>summary::-webkit-details-marker{display:none}
.fold>summary h3{font-weight:620}
.fold>summary h3::before{content:"";display:inline-block;width:6px;height:6px;margin:0 12px 2px 2px;border:solid var(--soft);border-width:0 1.5px 1.5px 0;transform:rotate(-45deg)}
.fold[open]>summary h3::before{transform:rotate(45deg);margin-bottom:4px}
.fold[open]>.endpoints{border-top:1px solid var(--line)}
.endpoints>li{padding:12px 20px 10px}
.pill{flex:none;display:inline-flex;gap:6px;align-items:center;padding:1px 9px 1px 7px;border-radius:20px;font-size:12.5px;font-weight:580}
svg{display:block}
.bars{width:100%;height:28px;margin-top:8px}
.bars path,.legend path{fill:none;stroke:var(--none);stroke-width:22;stroke-dasharray:5 1}
.bars .ok,.legend .ok{stroke:var(--up)}.bars .low,.legend .low{stroke:var(--low)}.bars .some,.legend .some{stroke:var(--some)}.bars .bad,.legend .bad{stroke:var(--down)}.bars .work,.legend .work{stroke:var(--work)}
.bars .tick{stroke:var(--ink);stroke-width:3}.bars .tick.work{stroke:var(--work)}
.today{fill:none;stroke:var(--ink);stroke-width:1.5;stroke-dasharray:none;vector-effect:non-scaling-stroke}
.services:not(:has(.fold[open],>ul))+.legend{display:none}.legend{display:flex;flex-wrap:wrap;gap:4px 16px;margin:10px 2px 0;font-size:12.5px}.legend li{display:flex;gap:6px;align-items:center}
summary{border-radius:8px}
.endpoints summary{list-style:none;cursor:pointer}.endpoints summary::-webkit-details-marker{display:none}
.days{max-width:520px;padding:6px 0 4px}
.days li{display:flex;justify-content:space-between;gap:16px;padding:3px 0;border-top:1px solid var(--line)}
.days span{text-align:right;color:var(--soft)}
.sr{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%);white-space:nowrap}
:focus-visible{outline:2px solid var(--link);outline-offset:2px}
.past>li{padding:13px 20px}.past>li+li{border-top:1px solid var(--line)}.past p{margin-top:2px;max-width:75ch}
.past a{color:inherit;text-decoration-color:var(--edge);text-underline-offset:3px}
.announced>li{padding:14px 20px;border-left:4px solid var(--work)}
.announced>li+li{margin-top:10px}.announced.now{margin-top:12px}
.announced p{margin-top:4px;max-width:68ch}
.times{margin-top:2px;color:var(--soft)}
h2#planned{margin:30px 2px 8px}
.back{margin:-8px 2px 14px}.back+h2{margin:0 2px 10px;font-size:20px}
.months{margin:0 2px 12px}.months>:first-child{flex:1}
footer{margin:28px 2px 0;color:var(--soft);font-size:13px}
a{color:var(--link)}footer a{color:inherit}
@media (max-width:480px){main{padding:20px 14px 40px}.hero{padding:16px}.hero h2{font-size:18px}.endpoints>li,.fold>summary,.past>li,.announced>li{padding-left:16px;padding-right:16px}.bars{height:24px}.endpoints .share{order:3;flex-basis:100%}header{position:relative}.menu{position:static}.menu ul{left:0;width:auto;top:100%}}
@media (forced-colors:active){.bars path{forced-color-adjust:none}.hero,.pill{border:1px solid}}
@media print{:root{color-scheme:light}body{background:#fff;font-size:12px}main{max-width:none;padding:0}.menu,.button,footer a{display:none}.hero,.card,.announced>li{box-shadow:none;break-inside:avoid}.services{break-inside:auto}.endpoints>li,.past>li{break-inside:avoid}.bars,.pill,.hero,.legend{print-color-adjust:exact;-webkit-print-color-adjust:exact}details::details-content{content-visibility:visible;display:block;height:auto}}
`;

/**
 * The script that shows the times on a public page in the reader's time zone, in the language of the page, and notes
 * that in the footer. It is sent
 * inline, and the Content-Security-Policy allows it by its hash. Without the script, times are in UTC. The `title`
 * keeps the UTC time.
 */
export const STATUS_SCRIPT = `
const format = new Intl.DateTimeFormat('en-GB', {dateStyle: 'medium', timeStyle: 'short'});
for (const time of document.querySelectorAll('time')) {
  const {dateTime, dataset: {until}} = time;
  time.title = time.textContent;
  time.textContent = until ? format.formatRange(new Date(dateTime), new Date(until)) : format.format(new Date(dateTime));
}
const zone = document.getElementById('zone');
if (zone) zone.textContent = 'Times are in your zone, ' + format.resolvedOptions().timeZone + '; days start at midnight UTC.';
`;
