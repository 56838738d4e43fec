import { useSignal } from '@preact/signals';
import { type ComponentChildren, render } from 'preact';
import '../src/styles/tokens.css';
import '../src/styles/base.css';
import '../src/styles/controls.css';
import '../src/styles/layout.css';
import '../src/styles/monitor.css';
import '../src/styles/endpoint.css';
import './components.css';
import { Beats } from '../src/components/check/beats';
import { NinetyDays } from '../src/components/check/ninety-days';
import { Check, Choice, Open, Text } from '../src/components/form/field';
import { Icon } from '../src/components/icons';
import { Button, Facts, Section, Skeleton, Table } from '../src/components/layout';
import { Mark } from '../src/components/mark';
import { Menu } from '../src/components/menu';
import { Shape, StatusPill, statusWord } from '../src/components/status';
import { Switch } from '../src/components/switch';
import { Tip } from '../src/components/tip';
import type { LatencyBucket } from '../src/api/types';
import { halfHourBeats, halfHourText } from '../src/logic/half-hours';
import { STATUSES } from '../src/logic/overview-order';
import { into } from '../src/state/load';
import { startTheme, type Theme, theme } from '../src/state/theme';

const SURFACES = ['ground', 'sunken', 'surface', 'raised', 'hover', 'accent-wash'];
const LINES = ['line', 'edge', 'line-strong'];
const INKS = ['ink', 'ink-2', 'accent', 'accent-strong'];
const STATES = ['up', 'down', 'degraded', 'unknown', 'planned', 'paused'];
const SIZES = ['xs', 's', 'm', 'n', 'l', 'xl', 'display'];
const SPACES = ['half', '1', '2', '3', '4', '5', '6', '8', '10', '12'];
const THEMES: readonly (readonly [Theme, string])[] = [
  ['auto', 'As the system'],
  ['light', 'Light'],
  ['dark', 'Dark'],
];

/** The last 90 days of an endpoint that has seen every severity. */
const DAY_MS = 86_400_000;
const days = Array.from({ length: 90 }, (_, index): LatencyBucket => {
  const failures = ({ 20: 1, 41: 20, 60: 200 } as Record<number, number>)[index] ?? 0;
  const start = new Date((Math.floor(Date.now() / DAY_MS) - 89 + index) * DAY_MS).toISOString();
  const planned = index === 70 ? 480 : 0;
  return { start, count: index < 5 ? 0 : 480, failures, unknown: 0, planned } as LatencyBucket;
});
const beats = halfHourBeats(`${'u'.repeat(20)}w${'u'.repeat(10)}pddm${'u'.repeat(8)}n-uuu`, 'up');

const Swatches = ({ of, isText }: { of: readonly string[]; isText?: boolean }) => (
  <ul class="swatches">
    {of.map((name) => (
      <li key={name}>
        <span style={isText ? { color: `var(--${name})` } : { background: `var(--${name})` }}>{isText && 'Ag'}</span>
        <code>--{name}</code>
      </li>
    ))}
  </ul>
);

const Line = ({ children }: { children: ComponentChildren }) => <p class="actions below">{children}</p>;

function Page() {
  const [view, text, isOn] = [useSignal<'a' | 'b'>('a'), useSignal('Checkout'), useSignal(true)];
  return (
    <main>
      <div class="head">
        <div>
          <h1>Components</h1>
          <p class="muted">The parts that all pages of the dashboard are made of, with the tokens of tokens.css.</p>
        </div>
        <Switch label="Theme" options={THEMES} value={theme.value} set={into(theme)} />
      </div>
      <Section title="Mark">
        <Line>
          {[16, 22, 32, 64].map((size) => (
            <Mark key={size} size={size} />
          ))}
        </Line>
      </Section>
      <Section title="Colors">
        <Swatches of={SURFACES} />
        <Swatches of={LINES} />
        <Swatches of={INKS} isText />
        <Swatches of={STATES} />
        <Swatches of={STATES.map((state) => `${state}-ink`)} isText />
        <Swatches of={STATES.map((state) => `${state}-wash`)} />
      </Section>
      <Section title="Type">
        {SIZES.map((size) => (
          <p key={size} class={`size-${size}`}>
            <code>--text-{size}</code> 2 endpoints are down, 99.98% in 30 days
          </p>
        ))}
      </Section>
      <Section title="Space">
        <ul class="spaces">
          {SPACES.map((space) => (
            <li key={space}>
              <i style={{ width: `var(--space-${space})` }} />
              <code>--space-{space}</code>
            </li>
          ))}
        </ul>
      </Section>
      <Section title="Buttons">
        <p class="muted">At most one primary button on a screen. The alarm button acts on an outage.</p>
        <Line>
          <Button class="primary" onClick={() => undefined}>
            <Icon name="plus" /> Add endpoint
          </Button>
          <Button class="alarm" onClick={() => undefined}>
            Acknowledge
          </Button>
          <Button onClick={() => undefined}>Check now</Button>
          <Button class="danger" onClick={() => undefined}>
            Delete
          </Button>
          <Button class="plain" onClick={() => undefined}>
            Dismiss
          </Button>
          <Button disabled onClick={() => undefined}>
            Saved
          </Button>
          <Menu label="More">
            <Button onClick={() => undefined}>Pause</Button>
            <Button onClick={() => undefined}>Clone</Button>
          </Menu>
          <Switch
            label="View"
            options={[
              ['a', 'p50 and p95'],
              ['b', 'By phase'],
            ]}
            value={view.value}
            set={into(view)}
          />
        </Line>
      </Section>
      <Section title="Fields">
        <Open.Provider value>
          <div class="form">
            <Text label="Name" hint="Shown in lists and messages." value={text.value} set={into(text)} />
            <Text label="Interval (seconds)" error="must be at least 1 second" value="0" set={() => undefined} />
            <Choice label="Website" value="shop" set={() => undefined} options={[['shop', 'Example shop']]} />
            <Check label="Follow redirects" value={isOn.value} set={into(isOn)} />
          </div>
        </Open.Provider>
      </Section>
      <Section title="Status">
        <p class="muted">Each status has a shape, so that its color is never the only difference.</p>
        <Line>
          {STATUSES.map((status) => (
            <StatusPill key={status} status={status} />
          ))}
        </Line>
        <Line>
          {STATUSES.map((status) => (
            <span key={status} class={`shape ${status}`} title={statusWord(status)}>
              <Shape status={status} size={14} />
            </span>
          ))}
        </Line>
      </Section>
      <Section title="Notices">
        <div class="notices">
          {['', 'good', 'warn', 'bad', 'planned'].map((tone) => (
            <p key={tone} class={`notice ${tone}`}>
              Messages to Old pager have been failing for 12 min.
            </p>
          ))}
        </div>
      </Section>
      <Section title="Bars">
        <p class="muted">48 half hours of a row, and 90 days of a page.</p>
        <div class="row-bars">
          <Beats
            label="Last 24 hours of Checkout"
            noun="half hour"
            beats={beats}
            slots={48}
            describe={(index) => halfHourText(beats[index]?.outcome ?? null, 47 - index, Date.now())}
          />
        </div>
        <NinetyDays endpointId="ep_1" name="Checkout" buckets={days} outages={[]} />
      </Section>
      <Section title="Table and facts">
        <Table
          label="Contacts"
          head={['Contact', 'State', '#Alert rules']}
          rows={[
            ['On call', <StatusPill status="up" word="Delivers" />, 12],
            ['Old pager', <StatusPill status="down" word="Failing" />, 3],
          ]}
        />
        <Facts
          of={[
            ['Valid until', 'Feb 12, 2027'],
            ['Issuer', 'Example CA'],
          ]}
        />
      </Section>
      <Section title="Loading">
        <Skeleton />
      </Section>
      <Tip />
    </main>
  );
}

startTheme();
const root = document.getElementById('app');
if (root) render(<Page />, root);
