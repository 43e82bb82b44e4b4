/** `microagent_info.j2`: skills that the user's words have triggered. Variable: `triggered_agents`. */
export const microagentInfo = `{% for agent_info in triggered_agents %}<EXTRA_INFO>
The user wrote "{{ agent_info.trigger }}", so here is what is known about it (skill: {{ agent_info.name }}).
Use it only if it helps with the request.

{{ agent_info.content }}
</EXTRA_INFO>

{% endfor %}`;
