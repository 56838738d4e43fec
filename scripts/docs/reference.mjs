// The generated part of the reference: settings, API, command line, metrics, webhook payloads, types of checks,
// channels, and limits. Returns Markdown by path of the page. Nothing here is edited manually or committed.
import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { slugOf } from './slug.mjs';

const require = createRequire(import.meta.url);

export async function generatedPages(root) {
  const api = JSON.parse(readFileSync(join(root, 'docs/openapi.json'), 'utf8'));
  return new Map([
    ['reference/settings', settingsPage(root)],
    ['reference/cli', await commandPage(root)],
    ['reference/metrics', metricsPage(root)],
    ['reference/webhook-payloads', payloadsPage(api)],
    ['reference/check-types', checkTypesPage(root, api)],
    ['reference/channels', channelsPage(api)],
    ['reference/limits', limitsPage(root, api)],
    ...resourcePages(api),
  ]);
}

const oneLine = (text) => text.replace(/\s+/g, ' ').trim();
/** Text in a cell of a table. */
const inCell = (text) => oneLine(text).replaceAll('|', '\\|');
const json = (value) => `\`\`\`json\n${JSON.stringify(value, null, 2)}\n\`\`\``;

/* Settings */

/** The first setting of each topic, in the order of the class. */
const TOPICS = [
  ['HOST', 'Network and database'],
  ['BOOTSTRAP_API_KEY', 'Keys and access'],
  ['PUBLIC_URL', 'Public URL and proxies'],
  ['OIDC_ISSUER', 'Single sign-on'],
  ['ALLOWED_HOSTS', 'Targets of checks'],
  ['SMTP_URL', 'Email'],
  ['SECRETS_KEYS', 'Encryption'],
  ['MIN_INTERVAL_SECONDS', 'Load'],
  ['QUOTA_WEBSITES', 'Quotas of organizations'],
  ['RAW_RETENTION_DAYS', 'Retention'],
  ['PROBE_URL', 'Settings of a probe'],
];

function settingsPage(root) {
  const parts = [
    intro(
      'Settings',
      'Every setting of the service, with its default and its bounds. Set environment variables, or write them to a file `.env` in the working directory. No setting is required.',
      ['If a value is not valid, the service does not start, and [lists every problem](start-errors.md).'],
    ),
  ];
  const topics = new Map(TOPICS);
  const add = (settings) => {
    const names = new Map(settings.map(({ field, name }) => [field, name]));
    for (const setting of settings) {
      const topic = topics.get(setting.name);
      if (topic !== undefined) parts.push(`## ${topic}`);
      parts.push(settingText(setting, names));
    }
  };
  add(serviceSettings(root));
  const { ProbeConfig } = require(join(root, PROBE_CONFIG));
  add(settingsIn(root, PROBE_CONFIG, new ProbeConfig()));
  return parts.join('\n\n');
}

const CONFIG = 'src/platform/config/config.ts';
const PROBE_CONFIG = 'src/platform/config/probe-config.ts';

function serviceSettings(root) {
  const { Config } = require(join(root, CONFIG));
  return settingsIn(root, CONFIG, new Config());
}

function settingsIn(root, file, defaults) {
  const source = readFileSync(join(root, file), 'utf8');
  const fields = source.matchAll(
    /\/\*\*((?:(?!\*\/)[^])*)\*\/\s*@Env\('(\w+)'\)((?:(?!@Env)[^])*?)\b(\w+)(?:!|\?)?(?::[^=;]+)?(?: = [^;]+)?;/g,
  );
  return [...fields].map(([, doc, name, rules, field]) => ({
    name,
    field,
    text: oneLine(doc.replace(/^\s*\*/gm, '')),
    fallback: defaults[field],
    bounds: boundsOf(rules),
  }));
}

function boundsOf(rules) {
  const whole = /@IsWholeNumber\(([\d_]+), ([\d_]+)\)/.exec(rules);
  if (whole) return `A whole number from ${number(whole[1])} to ${number(whole[2])}.`;
  if (rules.includes('@IsWholeNumber')) return 'A whole number.';
  const list = /@OneOf\(\[([^\]]*)\]\)/.exec(rules);
  if (list)
    return `One of ${list[1]
      .split(/,(?=\s*')/)
      .map((each) => `\`${each.trim().replace(/'/g, '')}\``)
      .join(', ')}.`;
  if (rules.includes('@IsSwitch')) return '`on` or `off`.';
  const most = /@MostItems\((\d+)\)/.exec(rules);
  if (most) return `At most ${most[1]} values.`;
  return '';
}

const number = (digits) => Number(digits.replaceAll('_', '')).toLocaleString('en-US');

function fallbackText(value) {
  if (value === null || value === undefined || value === '' || (Array.isArray(value) && value.length === 0))
    return 'not set';
  if (typeof value === 'boolean') return `\`${value ? 'on' : 'off'}\``;
  return `\`${Array.isArray(value) ? value.join(',') : value}\``;
}

/** A text may name a field of the class. The reader needs the name of its variable. */
const settingText = ({ name, text, fallback, bounds }, names) =>
  [
    `### ${name}`,
    text.replace(/`(\w+)`/g, (all, field) => (names.has(field) ? `\`${names.get(field)}\`` : all)),
    `Default: ${fallbackText(fallback)}.${bounds ? ` ${bounds}` : ''}`,
  ].join('\n\n');

const intro = (title, lead, more = []) => [`# ${title}`, lead, ...more].join('\n\n');

/* Command line */

async function commandPage(root) {
  const { runUptime } = require(join(root, 'packages/cli/uptime/program.ts'));
  const others = [
    ['incident/incident-commands', 'addIncidentCommands'],
    ['mcp/mcp-command', 'addMcpCommand'],
    ['people/people-command', 'addPeopleCommand'],
    ['probe/probe-commands', 'addProbeCommands'],
    ['uptime/run-command', 'addRunCommand'],
  ].map(([file, name]) => require(join(root, 'packages/cli', `${file}.ts`))[name]);
  const help = async (...words) => {
    let text = '';
    const out = (part) => (text += part);
    const io = { env: {}, folder: root, stdin: [], out, err: out, isInteractive: false, hasColour: false };
    await runUptime([...words, '--help'], io, undefined, others);
    return text.trimEnd();
  };
  const parts = [
    intro(
      'Command line',
      'The options of each `uptime` command, as `--help` prints them. Each command except `check --local` sends requests to the API, so you need the URL of the service and an API key.',
      [
        'To install the command, see [Install the command](../guides/automate/configuration-as-code.md#install-the-command).',
        code(await help()),
      ],
    ),
  ];
  const visit = async (path) => {
    const text = await help(...path);
    if (path.length > 0) parts.push(`${'#'.repeat(Math.min(3, path.length + 1))} uptime ${path.join(' ')}`, code(text));
    for (const name of commandsIn(text)) await visit([...path, name]);
  };
  await visit([]);
  return parts.join('\n\n');
}

const code = (text) => `\`\`\`text\n${text}\n\`\`\``;

function commandsIn(help) {
  const [, list = ''] = /^Commands:\n([^]*?)(?:\n\n|$(?![^]))/m.exec(help) ?? [];
  return [...list.matchAll(/^ {2}([a-z][\w-]*)/gm)].map(([, name]) => name).filter((name) => name !== 'help');
}

/* Metrics */

function metricsPage(root) {
  const metrics = readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts') && !file.endsWith('.spec.ts'))
    .flatMap((file) => metricsIn(file, readFileSync(join(root, 'src', file), 'utf8')));
  const places = [
    {
      title: 'Metrics of the service',
      text: 'From `GET /metrics` of each process with the role `all`, `api`, or `worker`.',
      isHere: (file) => !/^(probing|history\/prometheus)/.test(file),
    },
    {
      title: 'Metrics of an organization',
      text: 'From `GET /api/v1/metrics` with an API key, for the endpoints and probes of its organization.',
      isHere: (file) => file.startsWith('history/prometheus'),
    },
    {
      title: 'Metrics of a probe',
      text: 'From `GET /metrics` of a process with `ROLE=probe`.',
      isHere: (file) => file.startsWith('probing'),
    },
  ];
  return [
    intro('Metrics', 'Every Prometheus metric, with its labels.', [
      '[Operations](operations.md#metrics) explains which values matter. To set up Prometheus and Grafana, see [Prometheus and Grafana](../guides/automate/prometheus.md).',
    ]),
    ...places.map(
      ({ title, text, isHere }) =>
        [`## ${title}`, text, '| Metric | Labels | Meaning |\n| --- | --- | --- |'].join('\n\n') +
        '\n' +
        [...new Map(metrics.filter(({ file }) => isHere(file)).map((metric) => [metric.name, metric])).values()]
          .sort((a, b) => (a.name < b.name ? -1 : 1))
          .map(
            ({ name, labels, help }) =>
              `| \`${name}\` | ${labels.map((each) => `\`${each}\``).join(', ')} | ${inCell(help)} |`,
          )
          .join('\n'),
    ),
  ].join('\n\n');
}

const TEXT = String.raw`(?:'((?:[^'\\]|\\.)*)'|"((?:[^"\\]|\\.)*)"|${'`'}([^${'`'}]*)${'`'})`;

function metricsIn(file, source) {
  const found = source.matchAll(new RegExp(String.raw`name: '(uptime_\w+)',\s*help:\s*${TEXT}(?=([^]{0,160}))`, 'g'));
  return [...found].map(([, name, single, double, template, after]) => ({
    file,
    name,
    help: (single ?? double ?? template ?? '').replaceAll("\\'", "'"),
    labels: labelsIn(after.split(/\bname: '/)[0]),
  }));
}

function labelsIn(text) {
  const [, names] = /^,\s*labelNames: \[([^\]]*)\]/.exec(text) ?? [];
  if (names !== undefined) return [...names.matchAll(/'(\w+)'/g)].map(([, name]) => name);
  const [, values] = /^,\s*values: \{([^}]*)\}/.exec(text) ?? [];
  const given = (values ?? '').replace(/\[[^\]]*\]|\([^)]*\)/g, '').matchAll(/(?:^|,)\s*(\w+)/g);
  return [...given].map(([, name]) => name);
}

/* The API document */

const refName = (schema) => schema?.$ref?.split('/').at(-1);
const resolved = (api, schema) => (schema?.$ref ? api.components.schemas[refName(schema)] : schema);

/** Returns the properties of a schema with all parts of its `allOf`. */
function fieldsOf(api, given) {
  const schema = resolved(api, given) ?? {};
  // The fields of alerts and contacts depend on their type. All of them are listed.
  const parts = [...(schema.allOf ?? []), ...(schema.oneOf ?? [])].map((part) => fieldsOf(api, part));
  return {
    properties: Object.assign({}, ...parts.map(({ properties }) => properties), schema.properties),
    required: [...parts.flatMap(({ required }) => required), ...(schema.required ?? [])],
  };
}

function typeText(api, given) {
  if (given === undefined) return '';
  if (given.$ref) {
    const target = resolved(api, given);
    return target.type === 'object' || target.allOf || target.oneOf ? refName(given) : typeText(api, target);
  }
  const options = given.oneOf ?? given.anyOf ?? given.allOf;
  if (options) return [...new Set(options.map((each) => typeText(api, each)))].join(' or ');
  if (given.enum)
    return given.enum.filter((value) => value !== null).length > 12
      ? 'text'
      : given.enum.map((value) => `\`${value}\``).join(', ');
  const types = [given.type].flat().filter(Boolean);
  const words = types.map((type) => {
    if (type === 'array') return `list of ${typeText(api, given.items) || 'values'}`;
    if (type === 'string') return given.format === 'date-time' ? 'time' : 'text';
    return (
      { integer: 'whole number', number: 'number', boolean: '`true` or `false`', object: 'object', null: 'null' }[
        type
      ] ?? type
    );
  });
  return [...new Set(words)].join(' or ');
}

function limitsText(schema) {
  const limits = [];
  if (schema.minimum !== undefined && schema.maximum !== undefined)
    limits.push(`${number(String(schema.minimum))} to ${number(String(schema.maximum))}`);
  if (schema.maxLength !== undefined) limits.push(`at most ${number(String(schema.maxLength))} characters`);
  if (schema.maxItems !== undefined) limits.push(`at most ${schema.maxItems} items`);
  return limits.length === 0 ? '' : ` (${limits.join(', ')})`;
}

function fieldTable(api, schema, { showsRequired = true } = {}) {
  const { properties, required } = fieldsOf(api, schema);
  const rows = Object.entries(properties).map(([name, field]) => {
    const target = { ...resolved(api, field), ...field };
    const need = showsRequired && required.includes(name) ? 'Required. ' : '';
    return `| \`${name}\` | ${inCell(typeText(api, field) + limitsText(target))} | ${inCell(need + (target.description ?? ''))} |`;
  });
  return rows.length === 0 ? '' : `| Field | Type | Meaning |\n| --- | --- | --- |\n${rows.join('\n')}`;
}

/** Returns the codes of the errors that an operation can return. */
const errorsOf = ({ responses }) =>
  Object.entries(responses).flatMap(([status, { description = '' }]) =>
    /^[45]/.test(status) ? [...description.matchAll(/`(\w+)`:/g)].map(([, each]) => each) : [],
  );

/** Returns the errors that most operations can return. Each page lists them once. */
function commonErrors(api) {
  const operations = Object.values(api.paths).flatMap(Object.values);
  const counts = new Map();
  for (const each of operations.flatMap(errorsOf)) counts.set(each, (counts.get(each) ?? 0) + 1);
  return new Set([...counts].filter(([, count]) => count > operations.length / 2).map(([each]) => each));
}

const linkToError = (each) => `[\`${each}\`](../problems.md#${each})`;

/** Tags that users of the API do not call as a resource. */
const OTHER_TAGS = new Set(['Webhooks']);

function resourcePages(api) {
  return api.tags
    .filter(({ name }) => !OTHER_TAGS.has(name))
    .map(({ name, description }) => [`reference/api/${slugOf(name)}`, resourcePage(api, name, description)]);
}

function resourcePage(api, tag, description) {
  const operations = Object.entries(api.paths).flatMap(([path, methods]) =>
    Object.entries(methods)
      .filter(([, operation]) => operation.tags?.[0] === tag)
      .map(([method, operation]) => ({ path, method: method.toUpperCase(), ...operation })),
  );
  const schemas = new Map();
  const common = commonErrors(api);
  const parts = [
    intro(`API: ${tag}`, description ?? '', [
      'The [API overview](../api.md) explains authentication, lists, errors, and limits. You can try these requests at `/docs` of your service.',
      '| Request | Effect |\n| --- | --- |\n' +
        operations
          .map(({ method, path, summary }) => `| [\`${method} ${path}\`](#${slugOf(summary)}) | ${inCell(summary)} |`)
          .join('\n'),
      `Most requests can also return these errors: ${[...common].map(linkToError).join(', ')}.`,
    ]),
  ];
  for (const operation of operations) {
    const { method, path, summary, responses } = operation;
    const body = operation.requestBody?.content?.['application/json'];
    const parameters = (operation.parameters ?? []).map((each) =>
      each.$ref ? api.components.parameters[each.$ref.split('/').at(-1)] : each,
    );
    parts.push(`## ${summary}`, `\`${method} ${path}\``, oneLine(operation.description ?? ''));
    if (parameters.length > 0)
      parts.push(
        `| Parameter | In | Meaning |\n| --- | --- | --- |\n${parameters
          .map(
            (each) =>
              `| \`${each.name}\` | ${each.in} | ${inCell(`${each.required ? 'Required. ' : ''}${each.description ?? each.schema?.description ?? ''}`)} |`,
          )
          .join('\n')}`,
      );
    if (body) {
      const choices = resolved(api, body.schema)?.oneOf;
      const table = choices
        ? `The body is one of ${choices
            .map((each) => refName(each))
            .filter(Boolean)
            .join(', ')}. See [Channels](../README.md#channels) for the fields of each config.`
        : fieldTable(api, body.schema);
      if (table) parts.push('Body:', table);
    }
    parts.push(code(curl(api, operation)).replace('```text', '```sh'));
    for (const [status, response] of Object.entries(responses)) {
      if (!status.startsWith('2')) continue;
      const content = Object.values(response.content ?? {})[0];
      const schema = content?.schema?.type === 'array' ? content.schema.items : content?.schema;
      const name = refName(schema);
      if (name) schemas.set(name, schema);
      const what = name
        ? ` Returns ${content.schema.type === 'array' ? 'a list of ' : ''}[${name}](#${slugOf(`Fields of ${name}`)}).`
        : '';
      parts.push(`**${status}**: ${oneLine(response.description ?? '')}${what}`);
    }
    const codes = errorsOf(operation).filter((each) => !common.has(each));
    if (codes.length > 0) parts.push(`Errors: ${codes.map(linkToError).join(', ')}.`);
  }
  for (const [name, schema] of schemas) {
    const table = fieldTable(api, schema, { showsRequired: false });
    if (table) parts.push(`## Fields of ${name}`, table);
  }
  return parts.filter((part) => part !== '').join('\n\n');
}

function curl(api, { method, path, parameters = [], requestBody, security }) {
  const filled = path.replace(
    /\{(\w+)\}/g,
    (all, name) => parameters.find((each) => each.name === name)?.schema?.example ?? all,
  );
  const lines = [`curl ${method === 'GET' ? '' : `-X ${method} `}"$UPTIME_URL${filled}"`];
  if (security === undefined || security.length > 0) lines.push('-H "Authorization: Bearer $UPTIME_API_KEY"');
  const content = requestBody?.content?.['application/json'];
  const example = content && exampleOf(api, content);
  if (example !== undefined)
    lines.push(
      "-H 'Content-Type: application/json'",
      `-d '${JSON.stringify(example).replaceAll("'", String.raw`'\''`)}'`,
    );
  return lines.join(' \\\n  ');
}

function exampleOf(api, { example, examples, schema }) {
  if (example !== undefined) return example;
  const [first] = Object.values(examples ?? {});
  if (first?.value !== undefined) return first.value;
  const { properties, required } = fieldsOf(api, schema);
  const entries = Object.entries(properties).flatMap(([name, field]) => {
    const target = { ...resolved(api, field), ...field };
    if (target.example !== undefined && target.example !== null) return [[name, target.example]];
    return required.includes(name) ? [[name, target.enum?.[0] ?? '…']] : [];
  });
  return entries.length === 0 ? undefined : Object.fromEntries(entries);
}

/* Webhook payloads */

function payloadsPage(api) {
  const parts = [
    intro('Webhook payloads', 'Every request that the service sends to a webhook, with all fields.', [
      '[Webhooks](webhooks.md) explains how to verify the signature, and what to return.',
    ]),
  ];
  for (const [type, { post }] of Object.entries(api.webhooks)) {
    const content = post.requestBody.content['application/json'];
    parts.push(`## ${type}`, oneLine(post.description ?? post.summary), ...nested(api, content.schema));
    const example =
      content.example ?? Object.values(content.examples ?? {})[0]?.value ?? resolved(api, content.schema)?.example;
    if (example !== undefined) parts.push(json(example));
  }
  return parts.join('\n\n');
}

/**
 * Returns the table of a schema and the tables of the objects in it.
 *
 * @param {string | null} [name] the path of the schema in the page, for its heading
 */
function nested(api, schema, name = null, seen = new Set()) {
  const { properties } = fieldsOf(api, schema);
  const parts = [name === null ? '' : `### ${name}`, fieldTable(api, schema, { showsRequired: false })];
  for (const [field, value] of Object.entries(properties)) {
    const target =
      [value, ...(value.anyOf ?? []), ...(value.oneOf ?? []), ...(value.allOf ?? [])].find((each) => each.$ref) ??
      value.items;
    const inner = refName(target);
    if (inner === undefined || seen.has(inner) || Object.keys(fieldsOf(api, target).properties).length === 0) continue;
    seen.add(inner);
    parts.push(...nested(api, target, `${name === null ? '' : `${name}.`}${field}`, seen));
  }
  return parts.filter((part) => part !== '');
}

/* Types of checks */

/** When a target is up, for the types of the service. For other types, the docstring of the checker says it. */
const UP = {
  HTTP: 'The final response has a status from 200 to 299, and all critical assertions hold.',
  HTTPS: 'As for HTTP, and the certificate is valid.',
  TCP: 'The connection is established.',
  DNS: 'The response has at least one record of the type.',
  ICMP: 'One reply arrives.',
  SSH: 'The server identifies itself as SSH 2.0.',
  HEARTBEAT: 'The last run sent its ping in time, and reported no failure.',
  PROBE: 'The probe was seen within the last minute.',
};

/** Returns the sources of assertions of each type, which the checker declares. */
function checkersIn(root) {
  const checkers = new Map();
  const files = readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' });
  for (const file of files.filter((name) => name.endsWith('.checker.ts')).sort()) {
    const source = readFileSync(join(root, 'src', file), 'utf8');
    const found = source.matchAll(/\/\*\*((?:(?!\*\/)[^])*)\*\/\s*@Checker\('(\w+)'\)\s*export class([^]*?)\n}/g);
    let inherited = [];
    for (const [, doc, type, body] of found) {
      const [, given] = /assertionSources = ([^;]+);/.exec(body) ?? [];
      const list = given?.startsWith('[') ? given : new RegExp(`const ${given} = ([^;]+);`).exec(source)?.[1];
      const sources = list === undefined ? inherited : [...list.matchAll(/'(\w+)'/g)].map(([, name]) => name);
      inherited = sources;
      checkers.set(type, { sources, summary: /^.*?\.(?= |$)/.exec(oneLine(doc.replace(/^\s*\*/gm, '')))?.[0] ?? '' });
    }
  }
  return checkers;
}

function typesTable(root, { type, url }) {
  const checkers = checkersIn(root);
  const forms = new Map(
    [...url.description.matchAll(/`([A-Z]+)` ((?:(?! · `).)+)/g)].map(([, name, form]) => [name, form]),
  );
  const rows = type.enum.map((name) => {
    const { sources = [], summary = '' } = checkers.get(name) ?? {};
    const form = (forms.get(name) ?? '').replace(/\.$/, '');
    const target = form.includes('`')
      ? form
      : form.replace(/^[^,]+/, (part) =>
          part
            .split(' or ')
            .map((each) => (each.includes(' ') ? each : `\`${each}\``))
            .join(' or '),
        );
    return `| \`${name}\` | ${inCell(target)} | ${inCell(UP[name] ?? summary)} | ${sources.map((each) => `\`${each}\``).join(', ')} |`;
  });
  return `| Type | Target | Up means | Sources of assertions |\n| --- | --- | --- | --- |\n${rows.join('\n')}`;
}

function checkTypesPage(root, api) {
  const { properties } = fieldsOf(api, { $ref: '#/components/schemas/CreateEndpoint' });
  const codes = resolved(api, { $ref: '#/components/schemas/CheckErrorCode' }) ?? {};
  const errors = Object.entries(codes['x-enumDescriptions'] ?? {});
  return [
    intro(
      'Check types',
      'The fields of an endpoint, the conditions that you can check, and the reasons that a failed check reports.',
      ['The guides under *Monitor* show an example of each type.'],
    ),
    '## Types and targets',
    typesTable(root, properties),
    '## Fields of an endpoint',
    fieldTable(api, { $ref: '#/components/schemas/CreateEndpoint' }),
    '## Assertions',
    oneLine(properties.assertions?.description ?? ''),
    fieldTable(api, { $ref: '#/components/schemas/Assertion' }),
    '## Certificates',
    fieldTable(api, { $ref: '#/components/schemas/Tls' }, { showsRequired: false }),
    '## Heartbeats',
    fieldTable(api, { $ref: '#/components/schemas/Heartbeat' }, { showsRequired: false }),
    ...(errors.length === 0
      ? []
      : [
          '## Reasons for a failure',
          `| Code | Meaning |\n| --- | --- |\n${errors.map(([each, text]) => `| \`${each}\` | ${inCell(text)} |`).join('\n')}`,
        ]),
  ].join('\n\n');
}

/* Channels */

const CHANNELS = {
  email: 'Email',
  slack: 'Slack',
  discord: 'Discord',
  teams: 'Microsoft Teams',
  telegram: 'Telegram',
  twilio: 'Text messages (Twilio)',
  pagerduty: 'PagerDuty',
  opsgenie: 'Opsgenie',
  webhook: 'Webhook',
};

function channelsPage(api) {
  const examples = api.paths['/api/v1/contacts'].post.requestBody.content['application/json'].examples ?? {};
  const types = [...new Set([...Object.keys(CHANNELS), ...Object.keys(examples)])].filter((type) =>
    schemaOf(api, type),
  );
  return [
    intro('Channels', 'The fields of each channel, as `config` of a contact or an alert rule.', [
      'The guides under *Notify* explain where each value comes from.',
    ]),
    ...types.flatMap((type) => [
      `## ${CHANNELS[type] ?? type}`,
      `The type is \`${type}\`.`,
      ...nested(api, { $ref: `#/components/schemas/${schemaOf(api, type)}` }).map((part) =>
        part.replace(/^### /, `### ${CHANNELS[type] ?? type}: `),
      ),
      ...(examples[type] ? [json(examples[type].value.config)] : []),
    ]),
  ].join('\n\n');
}

const schemaOf = (api, type) =>
  Object.keys(api.components.schemas).find((name) => name.toLowerCase() === `${type}config`.toLowerCase());

/* Limits */

function limitsPage(root, api) {
  const settings = serviceSettings(root);
  const row = ({ name, text, fallback }) =>
    `| \`${name}\` | ${inCell(String(typeof fallback === 'number' ? fallback.toLocaleString('en-US') : fallback))} | ${inCell(text)} |`;
  const table = (some) => `| Setting | Default | Limit |\n| --- | --- | --- |\n${some.map(row).join('\n')}`;
  const bounded = [
    'CreateWebsite',
    'CreateEndpoint',
    'CreateContactFields',
    'CreatePublicPage',
    'CreateMaintenanceWindow',
  ].flatMap((name) =>
    Object.entries(fieldsOf(api, { $ref: `#/components/schemas/${name}` }).properties).flatMap(([field, schema]) => {
      const text = limitsText({ ...resolved(api, schema), ...schema });
      return text === '' ? [] : [`| ${name.replace(/^Create|Fields$/g, '')} | \`${field}\` | ${text.slice(2, -1)} |`];
    }),
  );
  return [
    intro('Limits', 'The quotas of organizations, the limits of requests, and the bounds of fields.', [
      'An operator can change the quotas of one organization: see [Several organizations](../guides/operate/organizations.md).',
    ]),
    '## Quotas of an organization',
    'If a request exceeds a quota, it gets 409 [`quota_exceeded`](problems.md#quota_exceeded).',
    table(settings.filter(({ name }) => name.startsWith('QUOTA_'))),
    '## Limits of requests',
    table(
      settings.filter(({ name, fallback }) => /RATE_LIMIT|^MAX_|PER_HOUR/.test(name) && typeof fallback === 'number'),
    ),
    '## Bounds of fields',
    `| Resource | Field | Bounds |\n| --- | --- | --- |\n${[...new Set(bounded)].join('\n')}`,
  ].join('\n\n');
}
