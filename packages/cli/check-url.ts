import { runCheckUrl } from './check-url-command';

/** `npm run check-url`: one check from the terminal. */
runCheckUrl(process.argv.slice(2), process.env).then(
  ({ exitCode, text, isOutput }) => {
    process.exitCode = exitCode;
    (isOutput ? process.stdout : process.stderr).write(`${text}\n`);
  },
  (error: unknown) => {
    process.exitCode = 2;
    process.stderr.write(`${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`);
  },
);
