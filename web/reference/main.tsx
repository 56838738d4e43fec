import { render } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import '../src/styles/tokens.css';
import '../src/styles/base.css';
import '../src/styles/controls.css';
import './reference.css';
import { Credentials } from './credentials';
import { bestOf, type ApiDocument, codesOf, matching, type Section, sectionsOf } from './document';
import { OperationPage } from './operation';
import { at } from './service';
import { Paragraphs, Text } from './text';

/** Applies the theme chosen in the dashboard. */
function applyTheme(): void {
  const dark = matchMedia('(prefers-color-scheme: dark)');
  const apply = () => {
    let chosen: string | null = null;
    try {
      chosen = localStorage.getItem('uptime.theme');
    } catch {
      // Without storage, the system setting is used.
    }
    const isDark = chosen === 'dark' || (chosen !== 'light' && dark.matches);
    document.documentElement.dataset['theme'] = isDark ? 'dark' : 'light';
  };
  dark.addEventListener('change', apply);
  apply();
}

const current = (): string => decodeURIComponent(location.hash.slice(1));

function App({ api }: { api: ApiDocument }) {
  const sections = sectionsOf(api);
  const [shown, setShown] = useState(current());
  const [text, setText] = useState('');
  const [isMenuOpen, setMenuOpen] = useState(false);
  const search = useRef<HTMLInputElement>(null);
  const main = useRef<HTMLElement>(null);
  const operation = sections.flatMap(({ operations }) => operations).find(({ operationId }) => operationId === shown);
  const found = matching(sections, text);

  useEffect(() => {
    const follow = () => {
      setShown(current());
      setMenuOpen(false);
      scrollTo(0, 0);
      // Moves the focus after the page has changed.
      requestAnimationFrame(() => main.current?.querySelector('h1')?.focus());
    };
    const onKey = (event: KeyboardEvent) => {
      const isTyping = event.target instanceof Element && event.target.matches('input, textarea, select');
      if (event.key !== '/' || isTyping || event.ctrlKey || event.metaKey || event.altKey) return;
      event.preventDefault();
      setMenuOpen(true);
      // On a narrow screen, the field has only just become visible.
      requestAnimationFrame(() => search.current?.focus());
    };
    addEventListener('hashchange', follow);
    addEventListener('keydown', onKey);
    return () => {
      removeEventListener('hashchange', follow);
      removeEventListener('keydown', onKey);
    };
  }, []);

  useEffect(() => {
    const title = operation?.summary ?? (shown === PROBLEMS ? 'Problems' : null);
    document.title = title === null ? 'API reference' : `${title} · API reference`;
  }, [operation, shown]);

  return (
    <>
      <header>
        <a class="skip" href="#main" onClick={(event) => skip(event, main.current)}>
          Skip to content
        </a>
        <a class="home" href="#">
          API reference
        </a>
        <button class="menu" type="button" aria-expanded={isMenuOpen} onClick={() => setMenuOpen(!isMenuOpen)}>
          Operations
        </button>
        <a href={at('/help/reference/api')}>Help</a>
        <a href={at('/')}>Dashboard</a>
      </header>
      <div class="columns">
        <nav aria-label="Operations" class={isMenuOpen ? 'open' : ''}>
          <form
            role="search"
            onSubmit={(event) => {
              event.preventDefault();
              const best = bestOf(found, text);
              if (best) location.hash = best.operationId;
            }}
          >
            <label for="search">Search (press /)</label>
            <input
              id="search"
              ref={search}
              type="search"
              autocomplete="off"
              value={text}
              onInput={(event) => setText(event.currentTarget.value)}
            />
            <p role="status" class="muted">
              {text !== '' && `${found.reduce((sum, { operations }) => sum + operations.length, 0)} found`}
            </p>
          </form>
          <List sections={found} shown={shown} />
        </nav>
        <main id="main" ref={main} tabIndex={-1}>
          {operation ? (
            <OperationPage key={shown} operation={operation} document={api} />
          ) : shown === PROBLEMS ? (
            <ProblemsPage api={api} />
          ) : (
            <Start api={api} sections={sections} />
          )}
        </main>
      </div>
    </>
  );
}

function skip(event: Event, main: HTMLElement | null): void {
  event.preventDefault();
  main?.focus();
}

const List = ({ sections, shown }: { sections: Section[]; shown: string }) => (
  <>
    {sections.map(({ name, operations }) => (
      <section key={name}>
        <h2>{name}</h2>
        <ul>
          {operations.map(({ operationId, summary, method, isWebhook }) => (
            <li key={operationId}>
              <a href={`#${operationId}`} aria-current={operationId === shown ? 'page' : undefined}>
                {summary} <small>{isWebhook ? 'event' : method}</small>
              </a>
            </li>
          ))}
        </ul>
      </section>
    ))}
  </>
);

const Start = ({ api, sections }: { api: ApiDocument; sections: Section[] }) => (
  <article>
    <h1 tabIndex={-1}>{api.info.title} API</h1>
    <Paragraphs text={api.info.description} />
    <p>
      OpenAPI document for tools: <a href={at('/api/v1/openapi.json')}>{at('/api/v1/openapi.json')}</a>.
    </p>
    <h2>Credentials</h2>
    <Credentials />
    <h2>Resources</h2>
    <dl>
      {sections.map(({ name, description, operations }) => (
        <div key={name}>
          <dt>
            <a href={`#${operations[0]?.operationId ?? ''}`}>{name}</a>
          </dt>
          <dd>{description}</dd>
        </div>
      ))}
      <div>
        <dt>
          <a href={`#${PROBLEMS}`}>Problems</a>
        </dt>
        <dd>The meaning of each error code, and what to do about it.</dd>
      </div>
    </dl>
  </article>
);

const PROBLEMS = 'problems';

const ProblemsPage = ({ api }: { api: ApiDocument }) => (
  <article>
    <h1 tabIndex={-1}>Problems</h1>
    <Codes codes={codesOf(api, 'Problem')} />
    <h2>
      Field errors, in <code>errors</code>
    </h2>
    <Codes codes={codesOf(api, 'FieldProblem')} />
  </article>
);

const Codes = ({ codes }: { codes: [code: string, text: string][] }) => (
  <dl>
    {codes.map(([code, text]) => (
      <div key={code} id={`problem-${code}`}>
        <dt>
          <code>{code}</code>
        </dt>
        <dd>
          <Text text={text} />
        </dd>
      </div>
    ))}
  </dl>
);

async function start(): Promise<void> {
  const root = document.getElementById('app');
  if (!root) return;
  try {
    const response = await fetch(at('/api/v1/openapi.json'));
    render(<App api={(await response.json()) as ApiDocument} />, root);
  } catch {
    root.textContent = 'The service cannot be reached. Trying again…';
    setTimeout(() => {
      root.textContent = '';
      void start();
    }, 3000);
  }
}

applyTheme();
void start();
