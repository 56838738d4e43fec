import type { Plugin } from 'vite';

/**
 * uPlot functions that the dashboard never calls. Its charts all have stepped areas over linear scales, no legend, and
 * one cursor mode. uPlot is a single function, so it can't be tree-shaken. Without these functions, it is a third
 * smaller. Every name must exist, so that a different uPlot version breaks the build instead of the chart.
 */
const UNUSED = [
  // Other ways to draw a series.
  'bars linear splineInterp monotoneCubic findColWidth clipBandLine addBand delBand setBand',
  // Other scales.
  'rangeLog rangeAsinh logAxisSplits asinhAxisSplits log10AxisValsFilt log2AxisValsFilt snapLogY snapAsinhY snapNumX snapNumY clampScale',
  // Automatic ranges and padding. The dashboard uses fixed ones.
  'rangeNum _rangeNum autoPadSide',
  // The legend, and series that are added, removed, or highlighted.
  'initLegendRow syncLegend setLegend setLegendValues legendStroke legendFill addSeries delSeries setSeries setFocus setAlpha toggleDOM',
  // Data preparation.
  'join nullExpand sortCols allHeadersSame isAsc tzDate timeAxisVal',
  // Calendars and axis labels. The page formats its own.
  'fmtDate timeAxisVals timeAxisStamps timeSeriesVal timeSeriesStamp numAxisVals numSeriesVal',
  // Gaps and points on lines, points at the cursor, and synchronized charts.
  'findGaps addGap clipGaps points cursorPointShow seriesPointsShow cursorPointFill cursorPointStroke cursorPointSize initCursorPt elColor elSize dblClick pubSync pub batch',
];

/** Replacements that make more code unreachable, so that the minifier removes it. Each text must occur. */
const CONSTANTS: readonly [text: string, replacement: string][] = [
  ['const showLegend = legend.show;', 'const showLegend = false;'],
  ['let multiValLegend = false;', 'const multiValLegend = false;'],
  ['multiValLegend = getMultiVals != null;', ''],
  ['legend.live', 'false'],
  ['const linearPath = linear() ;', 'const linearPath = null;'],
  ['const pointsPath = points() ;', 'const pointsPath = null;'],
  ['const mode = self.mode;', 'const mode = 1;'],
  ['const mode = u.mode;', 'const mode = 1;'],
  ['let isTime = sc.time;', 'const isTime = false;'],
  ['let isTime = mode == 1 && scales[s.scale].time;', 'const isTime = false;'],
  ['(ms == 1 ? timeAxisSplitsMs(_tzDate) : timeAxisSplitsS(_tzDate))', 'null'],
  ['timeAxisVals(_tzDate, timeAxisStamps((ms == 1 ? _timeAxisStampsMs : _timeAxisStampsS), _fmtDate))', 'null'],
  ['= genTimeStuffs(1);', '= [];'],
  ['= genTimeStuffs(1e-3);', '= [];'],
  ['const xScaleDistr = scaleX.distr;', 'const xScaleDistr = 1;'],
  ['const cursorFocus = focus.prox >= 0;', 'const cursorFocus = false;'],
  ['let bands = ifNull(self.bands, EMPTY_ARR);', 'let bands = EMPTY_ARR;'],
  // The x axis is horizontal, scales are linear, and no other chart moves the cursor.
  ['scaleX.ori == 0', 'true'],
  ['scaleX.ori == 1', 'false'],
  ['sc.distr == 3', 'false'],
  ['wsc.distr == 3', 'false'],
  ['sc.distr == 4', 'false'],
  ['src == null', 'true'],
  ['src != null', 'false'],
  ['if (e != null) {\n\t\t\t_l', 'if (true) {\n\t\t\t_l'],
  ['syncKey != null', 'false'],
];

/** Returns a pattern that matches a text unless it is the end of a longer name. */
const whole = (text: string): RegExp => new RegExp(`(?<![\\w.])${text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')}`, 'g');

interface Node {
  type: string;
  start: number;
  end: number;
  [key: string]: unknown;
}

const isNode = (value: unknown): value is Node => typeof value === 'object' && value !== null && 'type' in value;

/** Yields every function declaration in a tree, by name. */
function* functions(node: Node): Generator<{ name: string; body: Node }> {
  const { id, body } = node;
  if (node.type === 'FunctionDeclaration' && isNode(id) && isNode(body)) yield { name: String(id['name']), body };
  for (const value of Object.values(node)) {
    for (const child of Array.isArray(value) ? (value as unknown[]) : [value])
      if (isNode(child)) yield* functions(child);
  }
}

/** Returns a Vite plugin that empties the unused functions. The minifier then removes the code that only they used. */
export function uplotSubset(): Plugin {
  return {
    name: 'uplot-subset',
    transform(source, id) {
      if (!id.endsWith('uPlot.esm.js')) return undefined;
      let code = source;
      for (const [text, replacement] of CONSTANTS) {
        if (!code.includes(text)) this.error(`uPlot no longer contains "${text}"`);
        code = code.replace(whole(text), replacement);
      }
      const names = new Set(UNUSED.join(' ').split(' '));
      const found = [...functions(this.parse(code) as unknown as Node)].filter(({ name }) => names.delete(name));
      if (names.size > 0) this.error(`uPlot no longer has ${[...names].join(', ')}`);
      for (const { body } of found.sort((a, b) => b.body.start - a.body.start)) {
        code = `${code.slice(0, body.start)}{}${code.slice(body.end)}`;
      }
      return { code: withoutStatics(code), map: null };
    },
  };
}

/**
 * Removes static members such as `uPlot.join`, which keep unused code reachable. The stepped path is used, so it is
 * kept.
 */
function withoutStatics(code: string): string {
  const start = code.indexOf('uPlot.assign = assign;');
  const end = code.indexOf('export {', start);
  return `${code.slice(0, start)}uPlot.paths = { stepped };\n${code.slice(end)}`;
}
