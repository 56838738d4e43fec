import type { Data, Rules } from './rules';

/**
 * The versions that Teams supports:
 * https://learn.microsoft.com/en-us/microsoftteams/platform/task-modules-and-cards/cards/cards-reference
 */
const VERSIONS = ['1.0', '1.1', '1.2', '1.3', '1.4', '1.5'];
/** `Action.Submit` does nothing in a card posted by a webhook, because no one receives it. */
const ACTIONS = ['Action.OpenUrl', 'Action.ShowCard', 'Action.ToggleVisibility', 'Action.Execute'];
const MAX_ACTIONS = 6;
const MAX_ELEMENTS = 1000;

const COLORS = ['default', 'dark', 'light', 'accent', 'good', 'warning', 'attention'];
const SIZES = ['default', 'small', 'medium', 'large', 'extraLarge'];
const WEIGHTS = ['default', 'lighter', 'bolder'];

/** Elements with children, and the property that contains them. */
const HOLDERS: Readonly<Record<string, string>> = { Container: 'items', ColumnSet: 'columns', Column: 'items' };

/** The required properties for each element type. The schema is at https://adaptivecards.io/explorer/. */
const ELEMENTS: Readonly<Record<string, (rules: Rules, at: string, element: Data) => void>> = {
  TextBlock: (rules, at, element) => {
    rules.text(`${at}.text`, element['text'], { min: 0, max: Infinity, required: true });
    fontOf(rules, at, element);
    rules.flag(`${at}.wrap`, element['wrap']);
  },
  RichTextBlock: (rules, at, { inlines }) => {
    const runs = rules.list(`${at}.inlines`, inlines, MAX_ELEMENTS);
    rules.must(runs.length > 0, `${at}.inlines`, 'at least one text run', inlines);
    runs.forEach((run, index) => textRun(rules, `${at}.inlines[${index}]`, run));
  },
  FactSet: (rules, at, { facts }) => {
    for (const { at: fact, item } of rules.records(`${at}.facts`, facts, MAX_ELEMENTS)) {
      rules.text(`${fact}.title`, item['title'], { min: 0, max: Infinity, required: true });
      rules.text(`${fact}.value`, item['value'], { min: 0, max: Infinity, required: true });
    }
  },
  Image: (rules, at, { url }) => void (rules.required(`${at}.url`, url) && rules.url(`${at}.url`, url)),
  ActionSet: (rules, at, { actions }) => actionsOf(rules, `${at}.actions`, actions),
  Container: holder,
  ColumnSet: holder,
  Column: holder,
  ImageSet: () => {},
  Table: () => {},
};

export function adaptiveCard(rules: Rules, at: string, value: unknown): void {
  const card = rules.record(at, value);
  if (!card) return;
  rules.must(card['type'] === 'AdaptiveCard', `${at}.type`, '"AdaptiveCard"', card['type']);
  rules.choice(`${at}.version`, card['version'] ?? null, VERSIONS);
  rules.text(`${at}.fallbackText`, card['fallbackText'], { max: Infinity });
  const hasBody = card['body'] !== undefined || card['actions'] !== undefined;
  rules.must(hasBody, at, 'a card with a body or actions', Object.keys(card));
  elementsOf(rules, `${at}.body`, card['body']);
  actionsOf(rules, `${at}.actions`, card['actions']);
}

function elementsOf(rules: Rules, path: string, value: unknown): void {
  for (const { at, item } of rules.records(path, value, MAX_ELEMENTS)) {
    const { type } = item;
    rules.choice(`${at}.type`, type ?? null, Object.keys(ELEMENTS));
    if (typeof type === 'string') ELEMENTS[type]?.(rules, at, item);
  }
}

function holder(rules: Rules, at: string, element: Data): void {
  const key = HOLDERS[String(element['type'])] ?? 'items';
  elementsOf(rules, `${at}.${key}`, element[key]);
}

function actionsOf(rules: Rules, path: string, value: unknown): void {
  for (const { at, item } of rules.records(path, value, MAX_ACTIONS)) {
    rules.choice(`${at}.type`, item['type'] ?? null, ACTIONS);
    rules.text(`${at}.title`, item['title'], { max: Infinity });
    if (item['type'] !== 'Action.OpenUrl') continue;
    if (rules.required(`${at}.url`, item['url'])) rules.url(`${at}.url`, item['url']);
  }
}

/** Validates a text run. A plain string is also valid. */
function textRun(rules: Rules, at: string, value: unknown): void {
  if (typeof value === 'string') return;
  const run = rules.record(at, value);
  if (!run) return;
  rules.choice(`${at}.type`, run['type'] ?? null, ['TextRun']);
  rules.text(`${at}.text`, run['text'], { min: 0, max: Infinity, required: true });
  fontOf(rules, at, run);
}

/** Schema names are case-insensitive. */
function fontOf(rules: Rules, at: string, element: Data): void {
  const oneOf = (name: string, allowed: readonly string[]): void => {
    const value = element[name];
    const lower = allowed.map((one) => one.toLowerCase());
    const fits = value === undefined || (typeof value === 'string' && lower.includes(value.toLowerCase()));
    rules.must(fits, `${at}.${name}`, `one of ${allowed.join(', ')}`, value);
  };
  oneOf('color', COLORS);
  oneOf('size', SIZES);
  oneOf('weight', WEIGHTS);
  rules.flag(`${at}.isSubtle`, element['isSubtle']);
}
