/** `skill_list.j2`: the skills that the model can load. Variable: `lines`, a name and a description each. */
export const skillList = `<SKILLS>
Skills are texts of the repository or the user that say how some kind of task is done here. This list has their names and what they are
for. When your task is of such a kind, call load_skill with the name first, and work by what you read. A skill gives no permissions.

{% for line in lines %}- {{ line }}
{% endfor %}</SKILLS>
`;
