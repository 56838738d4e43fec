/** The style of a shared report, in addition to the style of status pages. */
export const REPORT_STYLE = `
main{max-width:1060px}
.facts{margin:4px 0 18px;color:var(--soft)}
.tiles{display:grid;grid-template-columns:repeat(auto-fit,minmax(190px,1fr));gap:14px;margin-bottom:16px}
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
h2.part{margin:26px 2px 8px}
@media print{@page{size:A4 landscape;margin:12mm}.tile,tr{break-inside:avoid}thead{display:table-header-group}.table{overflow:visible}}
`;
