/** `microagent_info.j2`: skills that the user's words have triggered. Variable: `triggered_agents`. */
export const microagentInfo = `{% for agent_info in triggered_agents %}<EXTRA_INFO>
The user wrote "{{ agent_info.trigger }}", so here is what is known about it (skill: {{ agent_info.name }}).
Use it only if it helps with the request.

{{ agent_info.content }}
</EXTRA_INFO>

{% endfor %}`;

/** `skill_list.j2`: the skills that the model can load. Variable: `lines`, a name and a description each. */
export const skillList = `<SKILLS>
Skills are texts of the repository or the user that say how some kind of task is done here. This list has their names and what they are
for. When your task is of such a kind, call load_skill with the name first, and work by what you read. A skill gives no permissions.

{% for line in lines %}- {{ line }}
{% endfor %}</SKILLS>
`;

/** `loaded_skills.j2`: skills that the model loaded and does not see any more. Variable: `skills`, with name and content. */
export const loadedSkills = `{% for skill in skills %}<SKILL>
You loaded the skill {{ skill.name }} earlier, and its text was dropped from the conversation. Here it is again, in case you still work by it.

{{ skill.content }}
</SKILL>

{% endfor %}`;
