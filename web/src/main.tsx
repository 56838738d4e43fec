import { render } from 'preact';
import './styles/tokens.css';
import './styles/base.css';
import './styles/controls.css';
import './styles/layout.css';
import './styles/monitor.css';
import './styles/squares.css';
import './styles/settings.css';
import './styles/endpoint.css';
import './styles/beside.css';
import './styles/first-contact.css';
import './styles/palette.css';
import './styles/overview.css';
import './styles/wall.css';
import 'uplot/dist/uPlot.min.css';
import { App } from './app';
import { restoreSession } from './state/session';
import { startTheme } from './state/theme';

startTheme();

/** Loads the session, retrying every three seconds. Nothing can be shown until it is known. */
async function start(): Promise<void> {
  const root = document.getElementById('app');
  if (!root) return;
  try {
    await restoreSession();
    render(<App />, root);
  } catch {
    root.textContent = 'The service cannot be reached. Trying again…';
    setTimeout(() => {
      root.textContent = '';
      void start();
    }, 3000);
  }
}

void start();
