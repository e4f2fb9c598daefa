import type { SettingKey, SettingValue } from './settings/settings-schema.js';

export type LogMetadataContract = { eventType?: string; correlationId?: string; [key: string]: unknown };

export interface ILoggingService {
  info(message: string, meta?: LogMetadataContract): void;
  warn(message: string, meta?: LogMetadataContract): void;
  error(message: string, meta?: LogMetadataContract): void;
  debug(message: string, meta?: LogMetadataContract): void;
  security(message: string, meta?: LogMetadataContract): void;
  setCorrelationId(id: string | undefined): void;
  getCorrelationId(): string | undefined;
  clearCorrelationId(): void;
}

export interface ISettingsService {
  get<K extends SettingKey>(key: K): SettingValue<K>;
  getDynamic(key: string): unknown;
  set<K extends SettingKey>(key: K, value: SettingValue<K>, options?: { persist?: boolean }): void;
  setDynamic(key: string, value: unknown, options?: { persist?: boolean }): void;
  setPersistent<K extends SettingKey>(key: K, value: SettingValue<K>): void;
  setPersistentDynamic(key: string, value: unknown): void;
}
