//! Who may do what on a broker: its ACLs, written by Kafka's own tool.

use super::{Broker, java};

/// What a right is on.
#[derive(Clone, Copy, Debug)]
pub enum Resource<'a> {
    /// The whole cluster.
    Cluster,
    /// A group, by its id.
    Group(&'a str),
    /// All groups whose ids begin so.
    Groups(&'a str),
    /// A topic, by its name.
    Topic(&'a str),
}

/// Everybody, as ACLs name them.
const EVERYBODY: &str = "*";

impl Broker {
    /// Denies everybody a right on a group: `operation` in the tool's words, `Read` or `Describe`.
    ///
    /// From its first ACL on a resource has only the rights that ACLs allow.
    ///
    /// # Panics
    ///
    /// When the tool fails.
    pub async fn deny_on_group(&self, group: &str, operation: &str) {
        self.acl(
            &["--add", "--deny-principal"],
            EVERYBODY,
            operation,
            Resource::Group(group),
        )
        .await;
    }

    /// Allows everybody a right on a group.
    ///
    /// # Panics
    ///
    /// When the tool fails.
    pub async fn allow_on_group(&self, group: &str, operation: &str) {
        self.acl(
            &["--add", "--allow-principal"],
            EVERYBODY,
            operation,
            Resource::Group(group),
        )
        .await;
    }

    /// Takes one right away from one user; everybody else, and this one else, may do everything with the resource.
    ///
    /// # Panics
    ///
    /// When the tool fails.
    pub async fn take_away(&self, user: &str, operation: &str, resource: Resource<'_>) {
        // In this order: with nothing allowed by then, this very tool would lack its rights.
        self.acl(&["--add", "--allow-principal"], EVERYBODY, "All", resource)
            .await;
        self.acl(&["--add", "--deny-principal"], user, operation, resource)
            .await;
    }

    /// Gives a right back that was taken away.
    ///
    /// # Panics
    ///
    /// When the tool fails.
    pub async fn give_back(&self, user: &str, operation: &str, resource: Resource<'_>) {
        self.acl(
            &["--remove", "--force", "--deny-principal"],
            user,
            operation,
            resource,
        )
        .await;
    }

    /// Adds or removes one: `what` ends with the option whose value is the user.
    async fn acl(&self, what: &[&str], user: &str, operation: &str, resource: Resource<'_>) {
        let (address, user) = (self.address(), format!("User:{user}"));
        let mut arguments = vec!["--bootstrap-server", &*address];
        arguments.extend(what);
        arguments.extend([&*user, "--operation", operation]);
        match resource {
            Resource::Cluster => arguments.push("--cluster"),
            Resource::Group(group) => arguments.extend(["--group", group]),
            Resource::Groups(prefix) => {
                arguments.extend(["--group", prefix, "--resource-pattern-type", "prefixed"]);
            }
            Resource::Topic(topic) => arguments.extend(["--topic", topic]),
        }
        java::run("org.apache.kafka.tools.AclCommand", &arguments).await;
    }
}
