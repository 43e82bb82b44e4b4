/** `loaded_skills.j2`: skills that the model loaded and does not see any more. Variable: `skills`, with name and content. */
export const loadedSkills = `{% for skill in skills %}<SKILL>
You loaded the skill {{ skill.name }} earlier, and its text was dropped from the conversation. Here it is again, in case you still work by it.

{{ skill.content }}
</SKILL>

{% endfor %}`;
