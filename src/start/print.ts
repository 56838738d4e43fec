import { serviceLogger } from '../platform/observability/service-logger';

/** Resolves once the text is out. */
export const print = (text: string): Promise<void> =>
  new Promise((resolve, reject) => process.stdout.write(text, (error) => (error ? reject(error) : resolve())));

/** Logs what every start says, whatever `LOG_LEVEL` is: one line, in the form of the others. */
export const logStart = (line: string): void => serviceLogger({ logLevel: 'info' }).log(line, 'Main');
