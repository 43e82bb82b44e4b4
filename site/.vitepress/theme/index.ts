import { useData, withBase } from 'vitepress';
import type { Theme } from 'vitepress';
import DefaultTheme from 'vitepress/theme';
import { defineComponent, h } from 'vue';
import { correctSearchDialog } from './search-dialog.js';
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

export default {
  extends: DefaultTheme,
  enhanceApp: () => {
    if (!import.meta.env.SSR) correctSearchDialog();
  },
  Layout: () => h(DefaultTheme.Layout, undefined, { 'doc-footer-before': () => h(MarkdownLink) }),
} satisfies Theme;
