import '../src/styles/tokens.css';
import './help.css';

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

/** The folder of the help, relative to this page. */
const root = (): string => document.getElementById('main')?.dataset['root'] ?? '';

/** Fetches the search when it is used for the first time. */
let loading: Promise<typeof import('./search')> | null = null;
const search = () => (loading ??= import('./search'));

function startSearch(): void {
  const input = document.querySelector<HTMLInputElement>('#search');
  const results = document.querySelector<HTMLOListElement>('#results');
  const found = document.querySelector('#found');
  if (!input || !results || !found) return;
  let latest = 0;

  const show = async () => {
    const turn = ++latest;
    const text = input.value.trim();
    if (text === '') {
      results.hidden = true;
      found.textContent = '';
      return;
    }
    try {
      const { find } = await search();
      const hits = await find(root(), text);
      if (turn !== latest) return;
      results.replaceChildren(...hits.map(itemOf));
      results.hidden = hits.length === 0;
      found.textContent = hits.length === 0 ? `No page found for “${text}”.` : '';
    } catch {
      loading = null;
      found.textContent = 'The search could not be loaded. Try again.';
    }
  };
  const links = () => [...results.querySelectorAll('a')];

  input.addEventListener(
    'focus',
    () =>
      void search()
        .then(({ load }) => load(root()))
        .catch(() => (loading = null)),
  );
  input.addEventListener('input', () => void show());
  input.form?.addEventListener('submit', (event) => {
    event.preventDefault();
    links()[0]?.click();
  });
  input.form?.addEventListener('keydown', (event) => {
    if (event.key === 'Escape') {
      results.hidden = true;
      input.focus();
    }
    if (event.key !== 'ArrowDown' && event.key !== 'ArrowUp') return;
    const all = [input, ...links()];
    const index = all.indexOf(document.activeElement as HTMLInputElement);
    const next = all[index + (event.key === 'ArrowDown' ? 1 : -1)];
    if (!next) return;
    event.preventDefault();
    next.focus();
  });
  document.addEventListener('click', (event) => {
    if (event.target instanceof Node && !input.form?.contains(event.target)) results.hidden = true;
  });
  addEventListener('keydown', (event) => {
    const isTyping = event.target instanceof Element && event.target.matches('input, textarea, select');
    if (event.key !== '/' || isTyping || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    input.focus();
  });
}

interface Hit {
  url: string;
  page: string;
  heading: string;
  part: string;
}

function itemOf({ url, page, heading, part }: Hit): HTMLLIElement {
  const item = document.createElement('li');
  const link = document.createElement('a');
  link.href = `${root()}${url}`;
  link.append(page);
  const where = document.createElement('small');
  where.textContent = heading === '' ? part : heading;
  link.append(where);
  item.append(link);
  return item;
}

/** Adds a button to each block of code that copies its text. */
function addCopyButtons(): void {
  for (const block of document.querySelectorAll('pre')) {
    const button = document.createElement('button');
    button.type = 'button';
    button.textContent = 'Copy';
    button.addEventListener('click', () => {
      const text = block.querySelector('code')?.textContent ?? '';
      const showWord = (word: string) => {
        button.textContent = word;
        setTimeout(() => (button.textContent = 'Copy'), 2000);
      };
      navigator.clipboard.writeText(text.replace(/\n$/, '')).then(
        () => showWord('Copied'),
        () => showWord('Select the text to copy it'),
      );
    });
    // Browsers offer the clipboard only to pages that were loaded over HTTPS or from this machine.
    if ('clipboard' in navigator) block.append(button);
  }
}

/** Scrolls the list of pages, so that the current one is visible. */
function showCurrentPage(): void {
  const menu = document.querySelector('nav');
  const current = menu?.querySelector<HTMLElement>('[aria-current]');
  if (menu && current) menu.scrollTop = current.offsetTop - menu.clientHeight / 2;
}

applyTheme();
startSearch();
addCopyButtons();
showCurrentPage();
