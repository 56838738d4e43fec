import { ConsoleLogger, type LogLevel } from '@nestjs/common';
import type { Config } from '../config/config';

const LEVELS: readonly string[] = ['trace', 'debug', 'info', 'warn', 'error'];
const NEST_LEVELS: readonly LogLevel[] = ['verbose', 'debug', 'log', 'warn', 'error'];

/** Contexts of Nest's log messages about its dependency wiring, which operators don't need. */
const WIRING = new Set(['NestFactory', 'InstanceLoader', 'RoutesResolver', 'RouterExplorer', 'NestApplication']);

/** If startup fails, Nest logs the error with its stack and also throws it. The caller reports it once. */
const THROWN = 'ExceptionHandler';

class ServiceLogger extends ConsoleLogger {
  /** Uses ISO format, as in all other output. */
  protected override getTimestamp(): string {
    return new Date().toISOString();
  }

  protected override formatPid(): string {
    return '';
  }

  override log(message: unknown, context?: string): void {
    if (context === undefined || !WIRING.has(context)) super.log(message, context);
  }

  override error(message: unknown, ...more: unknown[]): void {
    if (more.at(-1) !== THROWN) super.error(message, ...more);
  }
}

/** Returns a logger that writes JSON lines for machines and readable lines on a terminal. */
export function serviceLogger(config: Pick<Config, 'logLevel'>): ConsoleLogger {
  const least = LEVELS.indexOf(config.logLevel);
  const logLevels: LogLevel[] = least < 0 ? [] : [...NEST_LEVELS.slice(least), 'fatal'];
  return new ServiceLogger({ json: !process.stdout.isTTY, logLevels, timestamp: false });
}
