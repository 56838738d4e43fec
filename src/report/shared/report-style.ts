/** The style of a shared report, in addition to the style of status pages. */
export const REPORT_STYLE = `
main{max-width:1060px}
.facts{margin:4px 0 18px;color:var(--soft)}
.tiles{display:grid;grid-template-columns:repeat(auto-fit,minmax(150px,1fr));gap:14px;margin-bottom:16px}
.tile{padding:16px 18px}.tile dt{color:var(--soft);font-size:13.5px}
.tile dd{font-size:26px;font-weight:640;letter-spacing:-.03em;line-height:1.3}
.tile p{margin-top:4px}
.table{overflow-x:auto}
table{width:100%;border-collapse:collapse}
th{padding:9px 12px;color:var(--soft);font-size:13px;font-weight:500;text-align:left;white-space:nowrap}
td{padding:9px 12px;border-top:1px solid var(--line)}
th:first-child,td:first-child{padding-left:18px}th:last-child,td:last-child{padding-right:18px}
.number{text-align:right;white-space:nowrap}
td .bars{min-width:180px;height:24px;margin:0}
td strong{font-weight:560}
h2.part{margin:26px 2px 8px}.rest{margin:8px 2px 0}
@media (max-width:640px){
thead{position:absolute;clip-path:inset(50%)}
table,tbody,tr,td{display:block}
tr{display:grid;grid-template-columns:1fr auto;gap:2px 12px;padding:12px 16px;border-top:1px solid var(--line)}
tbody tr:first-child{border-top:0}
td,td:first-child,td:last-child{padding:0;border:0}
.wide{grid-column:1/-1;margin-top:4px}
.number[data-label]{grid-column:1/-1;display:flex;justify-content:space-between;font-size:13.5px}
.number[data-label]::before{content:attr(data-label);color:var(--soft)}
td:last-child{grid-row:1;grid-column:2;align-self:start}
td:nth-child(4):last-child{grid-row:auto;grid-column:1/-1;color:var(--soft)}
}
@media print{@page{size:A4 landscape;margin:12mm}.tile,tr{break-inside:avoid}thead{display:table-header-group}.table{overflow:visible}}
`;
