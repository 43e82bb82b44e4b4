import { useData, withBase } from 'vitepress';
import type { Theme } from 'vitepress';
import DefaultTheme from 'vitepress/theme';
import { defineComponent, h } from 'vue';
import './style.css';

/** Below each page: the same as Markdown, for people and agents that read it so. */
const MarkdownLink = defineComponent(() => {
  const { page, frontmatter } = useData();
  return () =>
    frontmatter.value['layout'] === 'home'
      ? undefined
      : h(
          'p',
          { class: 'as-markdown' },
          h('a', { href: withBase(`/${page.value.relativePath}`), target: '_self' }, 'This page as Markdown'),
        );
});

/**
 * Corrects the roles of VitePress 1.6's search dialog. It calls itself a button and its links options, so that a screen reader does not
 * see what is in them.
 */
function correctSearchDialog(): void {
  new MutationObserver(() => {
    const dialog = document.querySelector('.VPLocalSearchBox');
    if (dialog !== null) correct(dialog);
  }).observe(document.body, { childList: true, subtree: true });
}

function correct(dialog: Element): void {
  dialog.setAttribute('role', 'dialog');
  dialog.setAttribute('aria-label', 'Search');
  remove([dialog], ['aria-expanded', 'aria-haspopup', 'aria-owns', 'aria-labelledby']);
  remove(dialog.querySelectorAll('[role="listbox"], [role="option"]'), ['role', 'aria-selected', 'aria-labelledby']);
  remove(dialog.querySelectorAll('a.result'), ['aria-label']);
  for (const key of dialog.querySelectorAll('kbd[aria-label]')) key.setAttribute('role', 'img');
}

function remove(elements: Iterable<Element>, attributes: readonly string[]): void {
  for (const element of elements) for (const attribute of attributes) element.removeAttribute(attribute);
}

export default {
  extends: DefaultTheme,
  enhanceApp: () => {
    if (!import.meta.env.SSR) correctSearchDialog();
  },
  Layout: () => h(DefaultTheme.Layout, undefined, { 'doc-footer-before': () => h(MarkdownLink) }),
} satisfies Theme;
