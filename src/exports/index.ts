// The exports of `uptime-monitor`.
export { createApp } from '../app';
export { type Composition } from '../extension/composition';
export { defineExtension, type Extension, type NestModule } from '../extension/extension';
export { Config, loadConfig } from '../platform/config/config';
export { ConfigError, Env } from '../platform/config/env';
export { StartError } from '../platform/config/start-error';
