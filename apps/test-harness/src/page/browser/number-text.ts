import type { Prices } from '../../measure/money.js';

/** An amount of money: USD, or what so many uncached input tokens cost. */
export function moneyText(value: number, { unit }: Pick<Prices, 'unit'>): string {
  if (unit !== 'USD') return `${compactText(value)} token prices`;
  const digits = Math.abs(value) >= 0.995 || value === 0 ? 2 : 4;
  return `${value < 0 ? '−' : ''}$${Math.abs(value).toLocaleString('en-US', { minimumFractionDigits: digits, maximumFractionDigits: digits })}`;
}

/** 12.3 k, 4.56 M. */
export function compactText(value: number): string {
  const size = Math.abs(value);
  if (size >= 1e6) return `${(value / 1e6).toFixed(size >= 1e8 ? 0 : size >= 1e7 ? 1 : 2)}\u00a0M`;
  if (size >= 1e3) return `${(value / 1e3).toFixed(size >= 1e5 ? 0 : 1)}\u00a0k`;
  return countText(Math.round(value));
}

export function percentText(share: number): string {
  return `${(share * 100).toFixed(1).replace('-', '−')}\u00a0%`;
}

export function countText(value: number): string {
  return value.toLocaleString('en-US');
}

export function ratioText(value: number): string {
  return value.toFixed(2).replace('-', '−');
}

/** `1 session`, `2 sessions`. */
export function countedText(value: number, noun: string): string {
  return `${countText(value)} ${noun}${value === 1 ? '' : 's'}`;
}
